/** Where a caller may have an answer copied to (R8): nothing else that it writes steers where Tasuki publishes. */

/** `inbox`: any subject under `_INBOX.`; `pod`: only those under `_INBOX.<pod>.`. */
export type ReplyRule = "inbox" | "pod";

const replySubjectCharsMax = 256;

/** Whether the subject is a literal one that the rule allows. */
export function isReplySubject(subject: string, pod: string, rule: ReplyRule): boolean {
  const start = rule === "inbox" ? "_INBOX." : `_INBOX.${pod}.`;
  return subject.length <= replySubjectCharsMax && subject.startsWith(start) &&
    subject.split(".").every((token) => /^[\x21-\x7e]+$/.test(token) && token !== "*" && token !== ">");
}
