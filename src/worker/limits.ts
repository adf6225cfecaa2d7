/** How much of everything one worker holds, with the unit in the name; what is configurable is in `config/settings.ts`. */
import { recalledInputsMax } from "../log/memory.ts";

/**
 * Outputs of one pod on their way: a flood on one pod takes no more than this of what all share, and a checkpoint has
 * the pod as it was before them.
 */
export const podInFlightMax = recalledInputsMax;
/**
 * An output with more bytes is waited for before the pod decides on: the server may not take it (its limit may have been
 * lowered), and what was decided on its effect could not stand. It bounds the bytes of one pod on their way, too.
 */
export const runAheadBytesMax = 64 * 1024;
/** Bytes of all pods' outputs on their way. */
export const inFlightBytesMax = 64 * 1024 * 1024;
/** Messages of one pod that queue while it is loaded, before the reading waits for it. */
export const podQueueMax = 4_096;
/** … and how many bytes these may be. */
export const podQueueBytesMax = 16 * 1024 * 1024;
/** Inputs of one pod that are fetched at a time. */
export const podChunkMax = 256;
/** Bytes that are fetched at a time. */
export const chunkBytesMax = 8 * 1024 * 1024;
/** Pods that wait for room among what is in flight, before the reading waits for it. */
export const podsWaitingMax = 64;
/** Pods that only the checkpoint has and that a list of boards shows. */
export const savedPodsListedMax = 2_000;
/** … and how many of them are read at a time. */
export const podReadsMax = 16;
