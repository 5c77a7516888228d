import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { compareSnapshots, ofEndedShare, type ShareSnapshot } from "../../../src/client/shares/share-snapshot.ts";

const share: ShareSnapshot = {
  shortId: "7kXq9Zab",
  url: "https://files.example.org/d/7kXq9Zab",
  name: "report.pdf",
  sizeBytes: 1000,
  state: "active",
  uploading: false,
  receivedBytes: null,
  scanStatus: "clean",
  failureReason: null,
  expiresAt: "2030-01-31T12:00:00Z",
  downloads: 0,
};

const typesOf = (before: Partial<ShareSnapshot> | undefined, after: Partial<ShareSnapshot>): readonly string[] =>
  compareSnapshots(before && { ...share, ...before }, { ...share, ...after }).map(({ type }) => type);

describe("the events of a share between two snapshots", () => {
  it("begin with the share itself, and are none while nothing changes", () => {
    assert.deepEqual(typesOf(undefined, {}), ["share"]);
    assert.deepEqual(typesOf({}, {}), []);
  });

  it("include its upload, the end of the upload, and the scan", () => {
    const uploading = { uploading: true, scanStatus: "pending" } as const;
    assert.deepEqual(typesOf({ ...uploading, receivedBytes: 0 }, { ...uploading, receivedBytes: 10 }), ["uploading"]);
    assert.deepEqual(typesOf({ ...uploading, receivedBytes: 10 }, { ...uploading, receivedBytes: 10 }), []);
    assert.deepEqual(typesOf({ ...uploading, receivedBytes: 10 }, { scanStatus: "pending" }), ["uploaded"]);
    assert.deepEqual(typesOf({ scanStatus: "pending" }, { scanStatus: "scanning" }), []);
    assert.deepEqual(typesOf({ scanStatus: "scanning" }, {}), ["checked"]);
    assert.deepEqual(typesOf({}, { scanStatus: "unavailable", failureReason: "infected" }), ["checked"]);
    assert.deepEqual(typesOf({ ...uploading, receivedBytes: 999 }, {}), ["uploaded", "checked"]);
  });

  it("include each new download, another expiry, and the end", () => {
    assert.deepEqual(compareSnapshots(share, { ...share, downloads: 2 }), [
      { type: "downloaded", share: { ...share, downloads: 2 }, count: 2 },
    ]);
    assert.deepEqual(typesOf({}, { expiresAt: null }), ["expiryChanged"]);
    assert.deepEqual(typesOf({}, { downloads: 1, state: "used_up" }), ["downloaded", "ended"]);
    assert.deepEqual(typesOf({ state: "expired" }, { state: "expired" }), []);
  });

  it("report the end as file info does, and a deletion if file info does not know the share", () => {
    assert.deepEqual(ofEndedShare(share, undefined), { ...share, state: "deleted" });
    const info = { status: 200, filecode: "7kXq9Zab", name: "", size: "0", uploaded: "2030-01-30 12:00:00" } as const;
    const rest = {
      isUsedUp: false,
      unlockRequired: false,
      unlockKind: null,
      paymentRequired: false,
      priceCents: null,
      title: null,
      expiresAt: null,
      scanStatus: null,
      uploading: false,
    };
    assert.deepEqual(ofEndedShare(share, { ...info, ...rest, download: "3", status_field: "expired" }), {
      ...share,
      state: "expired",
      downloads: 3,
    });
    const usedUp = ofEndedShare(share, { ...info, ...rest, download: "3", status_field: "expired", isUsedUp: true });
    assert.equal(usedUp.state, "used_up");
  });
});
