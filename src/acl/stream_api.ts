/** The subjects of JetStream's API for one stream (NATS ADR-1, ADR-15; the snapshots as nats-server 2.10 names them). */

interface StreamApi {
  readonly info: string;
  readonly create: string;
  /** Throws messages away. */
  readonly purge: string;
  /** One message by its seq, or the last one of a subject. */
  readonly message: string;
  /** Consumers that are made, pulled from and deleted. */
  readonly reading: readonly string[];
  /** Changes, deletion, backup and restore. */
  readonly care: readonly string[];
}

export function streamApi(stream: string): StreamApi {
  const api = "$JS.API";
  return {
    info: `${api}.STREAM.INFO.${stream}`,
    create: `${api}.STREAM.CREATE.${stream}`,
    purge: `${api}.STREAM.PURGE.${stream}`,
    message: `${api}.STREAM.MSG.GET.${stream}`,
    reading: [
      `${api}.CONSUMER.CREATE.${stream}`,
      `${api}.CONSUMER.MSG.NEXT.${stream}.*`,
      `${api}.CONSUMER.DELETE.${stream}.*`,
    ],
    care: [
      ...["UPDATE", "DELETE", "MSG.DELETE", "SNAPSHOT", "RESTORE"].map((verb) =>
        `${api}.STREAM.${verb}.${stream}`
      ),
      `${api}.CONSUMER.CREATE.${stream}.>`,
      `${api}.CONSUMER.INFO.${stream}.*`,
      `${api}.CONSUMER.NAMES.${stream}`,
      `${api}.CONSUMER.LIST.${stream}`,
      `$JS.SNAPSHOT.ACK.${stream}.>`,
      `$JS.SNAPSHOT.RESTORE.${stream}.>`,
    ],
  };
}
