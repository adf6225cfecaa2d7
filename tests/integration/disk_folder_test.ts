import { join } from "node:path";
import { assertEquals, assertRejects } from "@std/assert";
import { OperatorError } from "../../src/errors.ts";
import { DiskFolder } from "../../src/files/disk_folder.ts";
import { makeTempFolder } from "../helpers/temp_folder.ts";

/** @param aheadMs by how much its clock is ahead of the disk's */
function diskFolder(path: string, aheadMs = 0): DiskFolder {
  return new DiskFolder(path, { freshId: () => "fresh", nowMs: () => Date.now() + aheadMs });
}

Deno.test("DiskFolder replaces a file as a whole, and dates it", async () => {
  await using temporary = await makeTempFolder();
  const folder = diskFolder(join(temporary.path, "a", "b"));
  await folder.prepare();
  for (const text of ["first", "2nd"]) await folder.replace("1.json", text, 1_700_000_000_123);
  const { madeMs, ...entry } = await folder.entry("1.json") ?? { madeMs: 0 };
  assertEquals(entry, { kind: "file", sizeBytes: 3, changedMs: 1_700_000_000_123 });
  assertEquals(Math.abs(madeMs - Date.now()) < 60_000, true);
  assertEquals(new TextDecoder().decode(await folder.read("1.json")), "2nd");
  assertEquals(await folder.names(), ["1.json"]);
  await folder.replace("2.json", "", null);
  const { changedMs } = await folder.entry("2.json") ?? { changedMs: 0 };
  assertEquals(Math.abs(changedMs - Date.now()) < 60_000, true);
});

Deno.test("DiskFolder says what it cannot read or write, and leaves nothing of it behind", async () => {
  await using temporary = await makeTempFolder();
  const folder = diskFolder(temporary.path);
  await Deno.mkdir(join(temporary.path, "1.json"));
  const replacing = await assertRejects(() => folder.replace("1.json", "text", null), OperatorError);
  assertEquals(
    replacing.message.startsWith(`Cannot write ${JSON.stringify(join(temporary.path, "1.json"))}: `),
    true,
  );
  assertEquals(await folder.names(), ["1.json"]);
  await assertRejects(() => folder.read("missing"), OperatorError, "Cannot read ");
  assertEquals(await folder.entry("missing"), null);
  await assertRejects(
    () => diskFolder(join(temporary.path, "missing")).names(),
    OperatorError,
    "Cannot read the folder ",
  );
  await temporary.write("file", "");
  await assertRejects(
    () => diskFolder(join(temporary.path, "file")).prepare(),
    OperatorError,
    "Cannot make the folder ",
  );
});

Deno.test("DiskFolder tells links, folders and devices from files", async () => {
  await using temporary = await makeTempFolder();
  await temporary.write("file", "");
  await Deno.symlink("file", join(temporary.path, "link"));
  await Deno.symlink("/dev", join(temporary.path, "dev"));
  const kindOf = async (path: string) => (await diskFolder(temporary.path).entry(path))?.kind;
  assertEquals(
    [await kindOf("file"), await kindOf("link"), await kindOf("."), await kindOf("dev/null")],
    ["file", "link", "folder", "device"],
  );
});

Deno.test("DiskFolder removes what killed processes have left, once nobody can be writing it any more", async () => {
  await using temporary = await makeTempFolder();
  for (const name of [".tasuki-a-1.tmp", ".tasuki.tmp", ".other.tmp"]) await temporary.write(name, "half");
  await diskFolder(temporary.path).prepare();
  assertEquals((await temporary.names()).length, 3);
  await diskFolder(temporary.path, 120_000).prepare();
  assertEquals(await temporary.names(), [".other.tmp", ".tasuki.tmp"]);
});
