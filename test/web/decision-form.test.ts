import assert from "node:assert/strict";
import { test } from "node:test";
import { readPublicReason } from "../../web/admin/decision-form.tsx";

test("an administrator's form can choose no reason, which is not the same as a form without the choice", () => {
  assert.equal(readPublicReason(new URLSearchParams("publicReason=phishing")), "phishing");
  assert.equal(readPublicReason(new URLSearchParams("publicReason=")), null);
  assert.equal(readPublicReason(new URLSearchParams("note=x")), undefined);
});
