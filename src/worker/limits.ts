/** How much of everything one worker holds, with the unit in the name; what is configurable is in `config/settings.ts`. */

/** Outputs of one pod on their way: a flood on one pod takes no more than this of what all share. */
export const podInFlightMax = 128;
/** Messages of one pod that queue while it is loaded, before the reading waits for it. */
export const podQueueMax = 4_096;
/** Inputs of one pod that are fetched at a time. */
export const podChunkMax = 256;
/** Pods that only the checkpoint has and that a list of boards shows. */
export const savedPodsListedMax = 2_000;
/** … and how many of them are read at a time. */
export const podReadsMax = 16;
