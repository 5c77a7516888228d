import assert from "node:assert/strict";
import { test } from "node:test";
import { stayingToasts } from "../../web/site/browser/components/toasts.tsx";

const undo = [{ label: "Undo", run: () => undefined }];
const textsOf = (toasts: readonly { readonly text: string }[]): readonly string[] => toasts.map(({ text }) => text);

/** pages, "The files of an account". */
test("a message is replaced by the next one, and the last two problems and all offers to undo stay", () => {
  const moved = { text: "Moved", actions: undo };
  const refused = { text: "Refused", isProblem: true };
  const deleted = { text: "Deleted", actions: undo };
  assert.deepEqual(stayingToasts([{ text: "Copied" }]), []);
  assert.deepEqual(textsOf(stayingToasts([moved, { text: "Copied", actions: [] }])), ["Moved"]);
  assert.deepEqual(textsOf(stayingToasts([moved, refused, deleted])), ["Moved", "Refused", "Deleted"]);
  const problems = ["1", "2", "3"].map((text) => ({ text, isProblem: true }));
  assert.deepEqual(textsOf(stayingToasts([moved, ...problems])), ["Moved", "2", "3"]);
});
