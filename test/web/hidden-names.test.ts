import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { renderJobsPage } from "../../web/admin/jobs/jobs-page.tsx";
import { renderReportsPage } from "../../web/admin/reports/reports-page.tsx";
import { addOwnName, findOwnName, isUnnamed, toShownName } from "../../web/files/shown-name.ts";
import { files } from "../../web/files/texts/en.ts";
import { noticeTitle } from "../../web/notices/notice-text.ts";
import { renderReceiptPage } from "../../web/requests/receipt-page.tsx";
import { hasHiddenName } from "../../web/share/share-title.ts";
import { toFilesName, toShareName } from "../../web/shares/share-row.ts";
import { FAILED_JOB, reportOf } from "./admin-states.ts";
import { ENGLISH } from "./pages.ts";

const HIDDEN = "0123456789abcdef";
const NAME = `encrypted-${HIDDEN}.tar.age`;

/** encryption, "Hidden names". */
describe("a file that is called like one with a hidden name", () => {
  const receipt = (encrypted: boolean): string =>
    renderReceiptPage(ENGLISH, {
      token: "t",
      shortId: "s",
      path: "/r/t/s/d",
      siteUrl: "https://files.example.org",
      from: "Ada",
      isOpen: true,
      files: [{ id: "f", name: NAME, relativePath: null, size: 1, encrypted, uploading: false, removable: true }],
    });

  const reports = (encrypted: boolean): string =>
    renderReportsPage(ENGLISH, {
      reports: [{ ...reportOf(NAME), encrypted }],
      state: "open",
      nextCursor: null,
      isLaterPage: false,
      nowMs: 0,
    });

  const jobs = (encrypted: boolean): string =>
    renderJobsPage(ENGLISH, {
      jobs: [{ ...FAILED_JOB, kind: "scan", name: NAME, encrypted }],
      counts: [{ kind: "scan", count: 1 }],
      kind: undefined,
      nextCursor: null,
      isLaterPage: false,
      nowMs: 0,
    });

  test("is shown by its name unless it is encrypted, on every page", () => {
    const { texts } = ENGLISH;
    for (const encrypted of [true, false]) {
      const shown = encrypted ? "Encrypted file" : NAME;
      assert.equal(hasHiddenName({ name: NAME, isEncrypted: encrypted }), encrypted);
      assert.equal(isUnnamed({ name: NAME, encrypted }), encrypted);
      assert.equal(toShownName({ name: NAME, encrypted }, files), shown);
      assert.equal(toFilesName({ name: NAME, files: 1, encrypted }, texts.shares), shown);
      assert.equal(noticeTitle(texts, { title: NAME, encrypted }), shown);
      assert.equal(toShareName({ title: null, name: NAME, files: 1, encrypted }, texts), shown);
      assert.equal(/data-hidden-name|Names are encrypted/.test(receipt(encrypted)), encrypted);
      assert.equal(receipt(encrypted).includes("Encrypted file"), encrypted);
      for (const list of [reports, jobs]) assert.equal(list(encrypted).includes("Encrypted file"), encrypted);
      assert.equal(jobs(encrypted).includes(HIDDEN), !encrypted);
    }
  });

  test("does not get the name of a file that this device has sent", () => {
    addOwnName(NAME, "diary.txt");
    assert.equal(findOwnName({ name: NAME, encrypted: true }), "diary.txt");
    assert.equal(findOwnName({ name: NAME, encrypted: false }), undefined);
  });

  test("has a receipt with one sentence about what was sent", () => {
    assert.match(receipt(false), /You sent 1\sfile[\s\S]*Ada has it\. You can remove it here until the request closes\./);
    assert.match(receipt(false), /https:\/\/files\.example\.org\/r\/t\/s\/d/);
  });
});
