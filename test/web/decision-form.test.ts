import assert from "node:assert/strict";
import { test } from "node:test";
import { readPublicReason } from "../../web/admin/decision-form.tsx";

test("an administrator's form must choose one of the reasons", () => {
  assert.equal(readPublicReason(new URLSearchParams("publicReason=phishing")), "phishing");
  for (const form of ["publicReason=", "publicReason=none", "note=x"]) assert.equal(readPublicReason(new URLSearchParams(form)), undefined);
});
