"""Read what `deploy/` has with the programs that an operator uses, and run the proxies: `make manifests`.

Kubernetes' schemas by kubernetes-validate, the build by kustomize, rules and scrape by promtool, the proxies
by nginx and Caddy themselves, in front of a running service; the image by the steps of its Dockerfile, which
needs the network for the pinned packages. A program that is
missing is a failure that says how to get it. `ONLY="nginx caddy"` does these alone.
"""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final

import yaml

from tests.deploy import image, proxies
from tests.deploy.tools import DEPLOY, ROOT, SCHEMAS, MissingError, run, tool

VERSION: Final = "1.32.0"
"""The version of Kubernetes whose schemas are used."""
KUBERNETES: Final = DEPLOY / "kubernetes"
OF_OTHERS: Final = ("Kustomization", "Component")


def kustomizations() -> Iterator[Path]:
    """Yield each directory that may be applied as it is."""
    for file in sorted(KUBERNETES.rglob("kustomization.yaml")):
        if yaml.safe_load(file.read_text("utf-8"))["kind"] == "Kustomization":
            yield file.parent


def kustomize() -> str:
    """Build every kustomization, and hold each object to its schema."""
    said = []
    with tempfile.TemporaryDirectory(dir=DEPLOY) as place:  # kustomize reads nothing outside
        with_lag = Path(place)
        wanted = {"resources": ["../kubernetes"], "components": ["../kubernetes/lag"]}
        (with_lag / "kustomization.yaml").write_text(yaml.safe_dump(wanted), "utf-8")
        for name, directory in [
            *((str(each.relative_to(DEPLOY)), each) for each in kustomizations()),
            ("with lag", with_lag),
        ]:
            built = run([tool("kubectl"), "kustomize", directory])
            objects = [each for each in yaml.safe_load_all(built) if each]
            validated(objects)
            said.append(f"{name}: {len(objects)} objects")
    return ", ".join(said)


def validated(objects: list[Any]) -> None:
    """Hold objects to the schemas of Kubernetes, strictly: an unknown field is a fault."""
    with tempfile.TemporaryDirectory() as place:
        files = []
        for n, each in enumerate(objects):
            file = Path(place) / f"{n}-{each['kind']}-{each['metadata']['name']}.yaml"
            file.write_text(yaml.safe_dump(each), "utf-8")
            files.append(file)
        run([tool(str(SCHEMAS)), "--strict", "--kubernetes-version", VERSION, *files])


def promtool() -> str:
    """Check the rules, try them over time, and check the scrape."""
    rules = run([tool("promtool"), "check", "rules", DEPLOY / "observe" / "alerts.yaml"])
    run([tool("promtool"), "test", "rules", ROOT / "tests" / "deploy" / "alerts.test.yaml"])
    run([tool("promtool"), "check", "config", "--syntax-only", DEPLOY / "observe" / "prometheus.yaml"])
    return rules.strip().splitlines()[-1].strip()


def proxy(name: str) -> Callable[[], str]:
    """Return a check that runs one proxy in front of a service."""

    def check() -> str:
        tool(name)
        with tempfile.TemporaryDirectory() as place:
            directory = Path(place)
            with (
                proxies.service(directory) as served,
                proxies.proxy(name, served, directory) as proxied,
            ):
                return proxies.try_out(proxied, served)

    return check


def dockerfile() -> str:
    """Do the steps of the Dockerfile in a directory; it needs the network, for the pinned packages."""
    with tempfile.TemporaryDirectory() as place:
        return image.build(Path(place))


CHECKS: Final[dict[str, Callable[[], str]]] = {
    "kustomize": kustomize,
    "promtool": promtool,
    "nginx": proxy("nginx"),
    "caddy": proxy("caddy"),
    "image": dockerfile,
}


def main() -> int:
    """Do every check, or those of `ONLY`; return 1 if one fails."""
    wanted = os.environ.get("ONLY", "").split() or CHECKS
    failed = 0
    for name in wanted:
        try:
            said = CHECKS[name]()
        except (AssertionError, MissingError, OSError) as fault:
            failed += 1
            said = f"FAILED  {fault}"
        sys.stdout.write(f"{name:<10} {said}\n")
        sys.stdout.flush()
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
