"""The manifests of Kubernetes and the example proxies fit the service, and each other."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path, PurePosixPath
from typing import Any

import pytest
import yaml

from service.api.operations import BUNDLE_LIMIT
from service.api.server import GRACE_S
from service.settings import IN_FILES, Settings

ROOT = Path(__file__).parents[2]
KUBERNETES = ROOT / "deploy" / "kubernetes"
KUSTOMIZATION = yaml.safe_load((KUBERNETES / "kustomization.yaml").read_text("utf-8"))
NGINX = (ROOT / "deploy" / "proxy" / "nginx.conf").read_text("utf-8")
CADDY = (ROOT / "deploy" / "proxy" / "Caddyfile").read_text("utf-8")


def objects() -> dict[tuple[str, str], dict[str, Any]]:
    """Return every object of the manifests by kind and name."""
    found = [
        each
        for name in KUSTOMIZATION["resources"]
        for each in yaml.safe_load_all((KUBERNETES / name).read_text("utf-8"))
    ]
    named = {(each["kind"], each["metadata"]["name"]): each for each in found}
    assert len(named) == len(found), "two objects have one name"
    return named


OBJECTS = objects()
WORKLOADS = {name: each for (kind, name), each in OBJECTS.items() if kind in ("Deployment", "StatefulSet")}


def containers(name: str) -> Iterator[dict[str, Any]]:
    """Yield every container of a workload, those that run first too."""
    spec = WORKLOADS[name]["spec"]["template"]["spec"]
    yield from spec.get("initContainers", ())
    yield from spec["containers"]


def environment(name: str) -> dict[str, Any]:
    (main,) = WORKLOADS[name]["spec"]["template"]["spec"]["containers"]
    return {each["name"]: each for each in main["env"]}


def secrets(name: str) -> dict[str, str]:
    """Return the files of the mounted secrets, each with its key in the secret."""
    volumes = WORKLOADS[name]["spec"]["template"]["spec"]["volumes"]
    return {
        item["path"]: item["key"] for each in volumes if "secret" in each for item in each["secret"]["items"]
    }


def test_the_api_and_the_workers_are_apart() -> None:
    assert {name: each["kind"] for name, each in WORKLOADS.items()} == {
        "api": "Deployment",
        "worker": "StatefulSet",
    }
    for name, command in (("api", ["serve"]), ("worker", ["worker"])):
        (main,) = WORKLOADS[name]["spec"]["template"]["spec"]["containers"]
        assert (main["image"], main["args"]) == ("rewound", command)
    assert environment("api")["REWOUND_WORKERS"]["value"] == "0"
    keys = {secrets(name)["streams-url"] for name in WORKLOADS}
    assert len(keys) == len(WORKLOADS), "they share a user of the store"
    assert "signing-key" not in secrets("api").values()


def test_every_setting_is_one_that_the_service_reads() -> None:
    known = {f"REWOUND_{field.name.upper()}" for field in fields(Settings)}
    known |= {f"REWOUND_{name}_FILE" for name in IN_FILES} | {"REWOUND_SIGNING_MEMORY_FILE"}
    (config,) = KUSTOMIZATION["configMapGenerator"]
    given = {line.partition("=")[0] for line in config["literals"]}
    for name in WORKLOADS:
        given |= environment(name).keys()
    assert given <= known


def test_every_key_of_the_secret_that_is_used_is_named_to_the_operator() -> None:
    text = (KUBERNETES / "kustomization.yaml").read_text("utf-8")
    named = set(re.findall(r"--from-literal=([a-z-]+)=", text))
    used = {key for name in WORKLOADS for key in secrets(name).values()}
    assert used == named
    assert not re.search(r"[0-9a-f]{64}", text), "a key has a default"


@pytest.mark.parametrize("name", WORKLOADS)
def test_a_secret_is_a_file_and_never_in_the_environment(name: str) -> None:
    given = environment(name)
    assert not [each for each in given.values() if "secretKeyRef" in each.get("valueFrom", {})]
    (place,) = {
        mount["mountPath"]
        for mount in WORKLOADS[name]["spec"]["template"]["spec"]["containers"][0]["volumeMounts"]
        if mount["name"] == "secrets"
    }
    for variable in IN_FILES:
        path = PurePosixPath(given[f"REWOUND_{variable}_FILE"]["value"])
        assert str(path.parent) == place
        assert path.name in secrets(name)


@pytest.mark.parametrize("name", WORKLOADS)
def test_what_a_pod_may_reach_is_said(name: str) -> None:
    policy = OBJECTS["NetworkPolicy", name]["spec"]
    assert policy["policyTypes"] == ["Ingress", "Egress"]
    anywhere = {port["port"] for rule in policy["egress"] if "to" not in rule for port in rule["ports"]}
    assert anywhere == {53, 443, 6379}
    elsewhere = [block["ipBlock"] for rule in policy["egress"] for block in rule.get("to", ())]
    if name == "worker":
        assert {"10.0.0.0/8", "169.254.0.0/16", "192.168.0.0/16"} < set(elsewhere[0]["except"])
    else:
        assert not elsewhere


def test_a_node_of_the_cluster_keeps_what_the_store_on_one_host_keeps() -> None:
    """The settings that lose nothing are the same; a cluster has its own besides."""
    one, node = (
        {line for line in file.read_text("utf-8").splitlines() if line and not line.startswith("#")}
        for file in (ROOT / "deploy" / "valkey-streams.conf", KUBERNETES / "cluster" / "valkey.conf")
    )
    assert one < node
    assert all(line.startswith(("cluster-", "repl-diskless-sync ")) for line in node - one)
    (secret,) = {
        each["valueFrom"]["secretKeyRef"]["name"]
        for name in ("valkey", "join")
        for kind in yaml.safe_load_all((KUBERNETES / "cluster" / f"{name}.yaml").read_text("utf-8"))
        if kind["kind"] in ("StatefulSet", "Job")
        for each in kind["spec"]["template"]["spec"]["containers"][0]["env"]
        if "secretKeyRef" in each["valueFrom"]
    }
    assert f"create secret generic {secret} " in (KUBERNETES / "cluster" / "kustomization.yaml").read_text(
        "utf-8"
    )


@pytest.mark.parametrize("name", WORKLOADS)
def test_every_container_can_write_little_and_mounts_what_is_there(name: str) -> None:
    spec = WORKLOADS[name]["spec"]["template"]["spec"]
    there = {each["name"] for each in spec["volumes"]}
    there |= {each["metadata"]["name"] for each in WORKLOADS[name]["spec"].get("volumeClaimTemplates", ())}
    assert spec["securityContext"]["runAsNonRoot"] is True
    assert f"--uid {spec['securityContext']['runAsUser']} " in (ROOT / "Dockerfile").read_text("utf-8")
    mounted = set()
    for each in containers(name):
        assert each["securityContext"]["readOnlyRootFilesystem"] is True
        assert each["securityContext"]["capabilities"] == {"drop": ["ALL"]}
        assert each["securityContext"]["allowPrivilegeEscalation"] is False
        mounted |= {mount["name"] for mount in each["volumeMounts"]}
    assert mounted == there
    for each in spec["containers"]:
        assert each["resources"]["limits"]["memory"]


@pytest.mark.parametrize("name", WORKLOADS)
def test_labels_budgets_and_scaling_meet_their_workload(name: str) -> None:
    workload = WORKLOADS[name]
    labels = workload["spec"]["template"]["metadata"]["labels"]
    assert workload["spec"]["selector"]["matchLabels"] == labels
    assert OBJECTS["Service", name]["spec"]["selector"] == labels
    budget = OBJECTS["PodDisruptionBudget", name]["spec"]
    assert budget["selector"]["matchLabels"] == labels
    scaler = OBJECTS["HorizontalPodAutoscaler", name]["spec"]
    assert scaler["scaleTargetRef"] == {key: workload[key] for key in ("apiVersion", "kind")} | {"name": name}
    assert budget["minAvailable"] < scaler["minReplicas"] == workload["spec"]["replicas"]
    assert OBJECTS["NetworkPolicy", name]["spec"]["podSelector"]["matchLabels"] == labels
    assert scaler["maxReplicas"] <= Settings().groups


def test_the_api_is_probed_and_may_finish() -> None:
    spec = WORKLOADS["api"]["spec"]["template"]["spec"]
    (main,) = spec["containers"]
    paths = {probe: main[probe]["httpGet"]["path"] for probe in main if probe.endswith("Probe")}
    assert paths == {"startupProbe": "/livez", "livenessProbe": "/livez", "readinessProbe": "/readyz"}
    assert spec["terminationGracePeriodSeconds"] > GRACE_S
    assert WORKLOADS["api"]["spec"]["strategy"]["rollingUpdate"]["maxUnavailable"] == 0


def test_each_worker_keeps_its_signing_memory_on_a_volume_of_its_own() -> None:
    file = Path(environment("worker")["REWOUND_SIGNING_MEMORY_FILE"]["value"])
    (main,) = WORKLOADS["worker"]["spec"]["template"]["spec"]["containers"]
    mounts = {mount["mountPath"]: mount["name"] for mount in main["volumeMounts"]}
    (claim,) = WORKLOADS["worker"]["spec"]["volumeClaimTemplates"]
    assert mounts[str(file.parent)] == claim["metadata"]["name"]


def test_the_proxies_take_a_bundle_and_not_much_more() -> None:
    for text, pattern in ((NGINX, r"client_max_body_size (\d+)m;"), (CADDY, r"max_size (\d+)MB")):
        (size,) = re.findall(pattern, text)
        unit = 1_000_000 if text is CADDY else 1 << 20
        assert BUNDLE_LIMIT < int(size) * unit < 2 * BUNDLE_LIMIT


def test_the_proxies_pass_streams_on_at_once_and_name_the_client() -> None:
    assert "proxy_buffering off;" in NGINX
    assert "flush_interval -1" in CADDY
    assert "proxy_set_header X-Forwarded-For $remote_addr;" in NGINX, "a client could name its own address"
    assert "header_up X-Forwarded-For {remote_host}" in CADDY
    assert "ssl_protocols TLSv1.2 TLSv1.3;" in NGINX
    for text in (NGINX, CADDY):
        assert "/metrics" in text
        assert "REWOUND_PROXIES=1" in text
        assert text.count("{") == text.count("}")
