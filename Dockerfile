# The first stage does what scripts/ do on any Debian machine, so that the image cannot drift from them.
FROM docker.io/library/debian:bookworm-slim AS build
RUN apt-get update \
  && apt-get install -y --no-install-recommends ca-certificates nodejs npm \
  && rm -rf /var/lib/apt/lists/*
WORKDIR /build
COPY . .
RUN bash -c 'source scripts/lib.sh && set_up && build_if_stale'

FROM docker.io/library/debian:bookworm-slim
RUN apt-get update \
  && apt-get install -y --no-install-recommends ca-certificates \
  && rm -rf /var/lib/apt/lists/* \
  && useradd --uid 10001 --no-create-home --home-dir /data --shell /usr/sbin/nologin filehost \
  && install -d -o filehost -g filehost -m 0750 /data
COPY --from=build /build/filehost /usr/local/bin/filehost
USER 10001
WORKDIR /data
ENV FILEHOST_LISTEN=0.0.0.0:8080 FILEHOST_DATA=/data
VOLUME /data
EXPOSE 8080
# An upgrade of a large database takes minutes, in which the server does not respond. A start that succeeds ends the period.
HEALTHCHECK --interval=30s --timeout=5s --start-period=15m CMD ["filehost", "health"]
ENTRYPOINT ["filehost"]
CMD ["serve"]
