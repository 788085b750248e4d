# The tool alone: a static binary, and nothing else to keep up to date. `docker build -t multitrace .`, then
#   docker run --rm -v "$PWD:/work" multitrace check SPEC.md sessions.jsonl
# scripts/docker-check tries the same without Docker.

# Alpine's Rust builds for musl, which links statically.
FROM rust:1-alpine AS build
# For the parts in C, which are zstd and the growing of stacks.
RUN apk add --no-cache build-base
WORKDIR /source
COPY . .
RUN cargo build --release --locked --features columnar,png \
    && mkdir -p /image/tmp /image/work /image/licences \
    && chmod 1777 /image/tmp \
    && cp LICENSE-MIT LICENSE-APACHE /image/licences/ \
    && cp target/release/multitrace /image/multitrace

FROM scratch
ARG VERSION=0.1.0
LABEL org.opencontainers.image.title="multitrace" \
    org.opencontainers.image.description="Checks whether the logs of a distributed system conform to a sequence diagram" \
    org.opencontainers.image.source="https://github.com/multitrace/multitrace" \
    org.opencontainers.image.documentation="https://github.com/multitrace/multitrace/blob/main/docs/ci.md" \
    org.opencontainers.image.licenses="MIT OR Apache-2.0" \
    org.opencontainers.image.version="${VERSION}"
# With /tmp, where event logs that do not fit in memory are grouped.
COPY --from=build /image/ /
# The customary number of "nonroot" in images without a list of users.
USER 65532:65532
WORKDIR /work
ENTRYPOINT ["/multitrace"]
