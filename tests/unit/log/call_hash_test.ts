import { assertEquals } from "@std/assert";
import { callHash, type CallIdentity, injectedCallId } from "../../../src/log/call_hash.ts";

const call: CallIdentity = {
  callId: "c",
  agent: "w",
  session: null,
  tool: "TaskCreate",
  args: { subject: "a", metadata: { x: [1, { y: null }], z: "" } },
};

Deno.test("callHash() is 22 characters that stay the same for ever", () => {
  assertEquals(callHash(call), "SprEmaVibq_wnRNc6P9ryD");
});

for (
  const [about, other] of [
    ["the order of keys, at any depth", { args: { metadata: { z: "", x: [1, { y: null }] }, subject: "a" } }],
    ["how a number was written", {
      args: JSON.parse('{"subject":"a","metadata":{"x":[1.0,{"y":null}],"z":""}}'),
    }],
  ] as const
) {
  Deno.test(`callHash() does not see ${about}`, () => {
    assertEquals(callHash({ ...call, ...other }), callHash(call));
  });
}

for (
  const [about, other] of [
    ["call id", { callId: "d" }],
    ["agent", { agent: "v" }],
    ["missing agent", { agent: null }],
    ["agent called null", { agent: "null" }],
    ["session", { session: "s" }],
    ["tool", { tool: "TaskUpdate" }],
    ["value", { args: { ...call.args, subject: "b" } }],
    ["type of a value", { args: { ...call.args, subject: ["a"] } }],
    ["further argument", { args: { ...call.args, owner: null } }],
    ["order in a list", { args: { ...call.args, metadata: { x: [{ y: null }, 1], z: "" } } }],
  ] as const
) {
  Deno.test(`callHash() sees another ${about}`, () => {
    assertEquals(callHash({ ...call, ...other }) === callHash(call), false);
  });
}

Deno.test("injectedCallId() follows from pod and compaction, and fits a model's tool-call id (R20)", () => {
  assertEquals(injectedCallId("p", "c1"), "tl_pThrvZrPN8giB0uC");
  const ids = [["p", "c2"], ["q", "c1"], ["pc", "1"], ["p", "c".repeat(128)]] as const;
  const made = ids.map(([pod, compact]) => injectedCallId(pod, compact));
  assertEquals(new Set(made).size, 4);
  assertEquals(made.filter((id) => !/^tl_[A-Za-z0-9]{1,37}$/.test(id)), []);
});
