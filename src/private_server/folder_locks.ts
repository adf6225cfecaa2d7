/**
 * The two locks of a data folder, which the system gives up for a worker that is killed.
 *
 * I1. `lock` is held by whoever starts, adopts or stops the folder's server: one worker at a time.
 * I2. `users.lock` is shared by all workers that use the server. It is only ever taken alone under `lock`, so
 *     joining never waits.
 */

import { join } from "node:path";

/** One worker's handles on the locks; a disposed one holds none. */
export class FolderLocks implements Disposable {
  private constructor(private readonly turn: Deno.FsFile, private readonly users: Deno.FsFile) {}

  static async open(dataDir: string): Promise<FolderLocks> {
    const turn = await openLockFile(join(dataDir, "lock"));
    return new FolderLocks(turn, await openLockFile(join(dataDir, "users.lock")));
  }

  /** What the action gives, run while no other worker is in its turn; `onWait` is told before a wait. */
  async inTurn<T>(action: () => Promise<T>, onWait: () => void): Promise<T> {
    if (!await this.turn.tryLock(true)) {
      onWait();
      await this.turn.lock(true);
    }
    try {
      return await action();
    } finally {
      await this.turn.unlock();
    }
  }

  /** Counts this worker among the users. Only in turn. */
  async joinUsers(): Promise<void> {
    await this.users.lock(false);
  }

  /** Whether no other worker was left; this one is a user no longer. Only in turn. */
  async leaveUsers(): Promise<boolean> {
    const wasLast = await this.users.tryLock(true);
    await this.users.unlock();
    return wasLast;
  }

  [Symbol.dispose](): void {
    this.turn.close();
    this.users.close();
  }
}

function openLockFile(path: string): Promise<Deno.FsFile> {
  return Deno.open(path, { read: true, write: true, create: true, mode: 0o600 });
}
