/** Events as the body of a response: made only as fast as they are taken, ended by either side. */

/** @param make the events, until its signal */
export function eventStream(
  make: (signal: AbortSignal) => AsyncGenerator<string>,
  options: {
    /** Ends the stream from here. */
    readonly signal: AbortSignal;
    /** Called once, when it has ended, however that was. */
    readonly ended: () => void;
    readonly failed: (error: unknown) => void;
  },
): ReadableStream<Uint8Array> {
  const gone = new AbortController();
  const source = make(AbortSignal.any([gone.signal, options.signal]));
  const encoder = new TextEncoder();
  return new ReadableStream({
    async pull(controller) {
      try {
        const { value, done } = await source.next();
        // Whoever was to take it is gone, and nothing may be said to them any more.
        if (gone.signal.aborted) return;
        if (!done) return controller.enqueue(encoder.encode(value));
        controller.close();
      } catch (error) {
        options.failed(error);
        controller.error(error);
      }
      if (!gone.signal.aborted) options.ended();
    },
    async cancel() {
      gone.abort();
      await source.return(undefined);
      options.ended();
    },
  }, { highWaterMark: 0 });
}
