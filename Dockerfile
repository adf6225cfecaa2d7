# The worker for a NATS server that is there: it has no nats-server of its own, and refuses to start without NATS_URL.
# HTTP (probes, metrics, page) listens on loopback unless TASUKI_HTTP says otherwise.

FROM denoland/deno:bin-2.9.6 AS deno

FROM debian:12-slim AS build
COPY --from=deno /deno /usr/local/bin/deno
ENV DENO_DIR=/tasuki/.deno
WORKDIR /tasuki
COPY deno.json deno.lock main.ts ./
COPY src src
RUN deno cache --frozen main.ts

FROM debian:12-slim
COPY --from=deno /deno /usr/local/bin/deno
COPY --from=build /tasuki /tasuki
ENV DENO_DIR=/tasuki/.deno DENO_NO_UPDATE_CHECK=1 NO_COLOR=1
WORKDIR /tasuki
USER 10001:10001
EXPOSE 8642
STOPSIGNAL SIGTERM
# The binary itself is process 1, so that SIGTERM reaches it. Without --allow-run there is no private nats-server, and
# without --allow-write nothing is written: the file system may be read-only.
ENTRYPOINT ["deno", "run", "--no-prompt", "--cached-only", "--frozen", "--allow-env", "--allow-net", "--allow-read", "main.ts"]
CMD ["serve"]
