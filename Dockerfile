# One image for the API and the workers: what differs is the command.
#   docker build -t rewound .
#   docker run rewound serve
#   docker run rewound worker

# A tag may move: `--build-arg PYTHON_IMAGE=python@sha256:…` builds on the very image that you have looked at.
ARG PYTHON_IMAGE=python:3.13-slim-bookworm

FROM ${PYTHON_IMAGE} AS builder
ENV PIP_DISABLE_PIP_VERSION_CHECK=1 \
    PIP_NO_CACHE_DIR=1 \
    PIP_ROOT_USER_ACTION=ignore
WORKDIR /src

# The pins change seldom, so what they install is a layer of its own. The environment that goes into the image is
# made without pip; the one that builds the documentation and the wheel stays behind.
COPY deploy/requirements/build.txt deploy/requirements/docs.txt deploy/requirements/runtime.txt deploy/requirements/traces.txt requirements/
RUN python -m venv --without-pip /opt/rewound \
    && python -m pip --python /opt/rewound/bin/python install \
        --require-hashes --only-binary :all: -r requirements/runtime.txt -r requirements/traces.txt \
    && python -m venv /opt/build \
    && /opt/build/bin/python -m pip install --require-hashes --only-binary :all: \
        -r requirements/build.txt -r requirements/docs.txt

COPY pyproject.toml README.md CHANGELOG.md LICENSE Dockerfile openapi.yaml ./
COPY service/ service/
COPY workers/ workers/
COPY clients/ clients/
COPY docs/ docs/
COPY examples/ examples/
COPY deploy/ deploy/
COPY tests/PROMISES.md tests/promises.toml tests/
COPY tests/vectors/README.md tests/vectors/LIES.md tests/vectors/unicode14.json tests/vectors/
RUN /opt/build/bin/python -m sphinx -q -W -b rewound -c docs/site -d /tmp/doctrees . service/api/site \
    && /opt/build/bin/python -m pip wheel --no-deps --no-build-isolation --wheel-dir /wheel . \
    && python -m pip --python /opt/rewound/bin/python install --no-deps --no-index /wheel/*.whl


FROM ${PYTHON_IMAGE}
# What an image's registry shows; `--build-arg VERSION=… REVISION=… SOURCE=…` of the release that it is built from.
ARG VERSION=0.1.0
ARG REVISION=
ARG SOURCE=
LABEL org.opencontainers.image.title="Rewound" \
    org.opencontainers.image.description="Tabletop combat that can be replayed and audited" \
    org.opencontainers.image.licenses="MIT" \
    org.opencontainers.image.version="${VERSION}" \
    org.opencontainers.image.revision="${REVISION}" \
    org.opencontainers.image.source="${SOURCE}"
RUN python -m pip uninstall --yes --root-user-action ignore pip \
    && groupadd --system --gid 10001 rewound \
    && useradd --system --uid 10001 --gid rewound --home-dir /var/lib/rewound --shell /usr/sbin/nologin rewound \
    && install -d -m 0700 -o rewound -g rewound /var/lib/rewound /var/lib/rewound-archive /var/lib/rewound-signing-memory /var/lib/rewound-backups
COPY --from=builder /opt/rewound /opt/rewound
ENV PATH=/opt/rewound/bin:$PATH \
    PYTHONDONTWRITEBYTECODE=1 \
    PYTHONUNBUFFERED=1 \
    REWOUND_DATA_DIR=/var/lib/rewound
USER rewound
WORKDIR /var/lib/rewound
VOLUME ["/var/lib/rewound"]
EXPOSE 8000
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=3s --start-period=20s --retries=3 \
    CMD ["python", "-c", "import urllib.request as u; u.urlopen('http://127.0.0.1:8000/livez', timeout=2)"]
ENTRYPOINT ["rewound"]
CMD ["serve"]
