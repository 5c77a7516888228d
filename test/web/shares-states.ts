import type { RecipientView } from "../../src/service/recipients/contract.ts";
import { renderPublicPage } from "../../web/public-page/public-page.tsx";
import { renderClosePage } from "../../web/shares/close-page.tsx";
import { renderDownloadsPage } from "../../web/shares/downloads-page.tsx";
import { renderEndedPage } from "../../web/shares/ended-page.tsx";
import type { OwnShare } from "../../web/shares/share-row.ts";
import { renderSharedAgainPage } from "../../web/shares/shared-again-page.tsx";
import { renderSharesPage, type SharesPageProps } from "../../web/shares/shares-page.tsx";
import type { PageContext } from "../../web/site/page-context.ts";

const NOW_MS = Date.UTC(2026, 10, 20, 12, 0);

const aShare = (over: Partial<OwnShare> = {}): OwnShare => ({
  shortId: "7kXq9Zab",
  alias: null,
  shareUrl: "https://files.example.org/d/7kXq9Zab",
  sharePath: "/d/7kXq9Zab",
  kind: "file",
  title: null,
  name: "Harbour at dusk.jpg",
  folder: null,
  encrypted: false,
  files: 1,
  size: 3_412_000,
  state: "active",
  scanStatus: "clean",
  uploading: false,
  visibility: "unlisted",
  unlockRequired: false,
  unlockKind: null,
  immutable: false,
  otherLinks: 0,
  filesLeft: null,
  downloads: 3,
  maxDownloads: 10,
  notify: null,
  createdAt: "2026-11-19T12:00:00Z",
  expiresAt: "2026-11-23T12:00:00Z",
  endedAt: null,
  ...over,
});

const aRecipient = (over: Partial<RecipientView>): RecipientView => ({
  id: "0198c1f0-6d2e-7c3a-9b1f-2f4a5b6c7d8e",
  address: "grace@example.org",
  state: "sent",
  failure: null,
  failureDetail: null,
  createdAt: "2026-11-19T12:00:00Z",
  sentAt: "2026-11-19T12:00:00Z",
  openedAt: null,
  downloads: 0,
  downloadedAt: null,
  remind: false,
  remindedAt: null,
  ...over,
});

/** The states of the pages of an account's shares. */
export function sharesPages(context: PageContext, hostile: string): Record<string, string> {
  const page = { ...context, path: "/shares", person: { name: hostile } };
  const list = (shares: readonly OwnShare[], over: Partial<SharesPageProps> = {}): string =>
    renderSharesPage(page, {
      list: "active",
      search: "",
      shares: shares.map((share, index) => ({ ...share, shortId: `share${index}` })),
      thumbnails: new Map(),
      recipients: new Map([["share0", { address: "grace@example.org", others: 2 }]]),
      extensions: new Map([["share0", [1, 7, 30]]]),
      nowMs: NOW_MS,
      nextCursor: null,
      isLaterPage: false,
      counts: { active: 12, expiring: 1, ended: 1000 },
      ...over,
    });
  const publicShares = [aShare(), aShare({ title: hostile, files: 12, expiresAt: null }), aShare({ name: hostile })].map(
    ({ name, ...share }, index) => ({ ...share, shortId: `share${index}`, name: name ?? "", contentType: "image/jpeg" }),
  );
  const owner = { username: "ada", name: "Ada Lovelace" };
  const publicPage = { ...owner, thumbnails: new Map(), nowMs: NOW_MS, siteUrl: "https://files.example.org", nextCursor: null };
  return {
    publicPage: renderPublicPage(context, { ...publicPage, shares: publicShares, nextCursor: "1_x", isLaterPage: true, isOwn: true }),
    publicPageEmpty: renderPublicPage(context, { ...publicPage, shares: [], isLaterPage: false, isOwn: false }),
    shares: list([
      aShare(),
      aShare({
        kind: "shipment",
        files: 1200,
        name: hostile,
        visibility: "public",
        maxDownloads: null,
        unlockRequired: true,
        unlockKind: "password",
        otherLinks: 2,
        expiresAt: null,
      }),
      aShare({ kind: "shipment", files: 13, name: "IMG_2052.jpg", folder: "Trip to Rome" }),
      aShare({ kind: "shipment", files: 2, name: `encrypted-${"0f".repeat(8)}.tar.age`, folder: "a", encrypted: true }),
      aShare({ uploading: true, scanStatus: "pending", expiresAt: null }),
      aShare({ scanStatus: "scanning", title: hostile }),
      aShare({ scanStatus: "unavailable", immutable: true }),
      aShare({ kind: "shipment", files: 0, name: null, size: 0 }),
    ]),
    sharesEnded: list(
      [
        aShare({ state: "expired", files: 3, filesLeft: 2, endedAt: "2026-11-19T12:00:00Z" }),
        aShare({ state: "used_up", filesLeft: 0, endedAt: "2026-11-19T12:00:00Z" }),
        aShare({ state: "taken_down", endedAt: "2026-11-19T12:00:00Z" }),
      ],
      { list: "ended", search: hostile, nextCursor: "1_x", isLaterPage: true, done: "closed" },
    ),
    sharesEmpty: list([]),
    sharesNotFound: list([], { search: hostile }),
    shareClose: renderClosePage(page, { shortId: "7kXq9Zab", name: hostile, otherLinks: 1, recipients: { address: hostile, others: 0 } }),
    shareDownloads: renderDownloadsPage(page, {
      share: aShare({ kind: "shipment", files: 12, title: hostile, notify: true }),
      downloads: [
        { at: "2026-11-20T11:00:00Z", route: "page", client: "browser", files: 12, name: hostile },
        { at: "2026-11-20T10:00:00Z", route: "api", client: null, files: 1, name: hostile },
      ],
      recipients: [aRecipient({ address: `${hostile}@example.org` }), aRecipient({ downloads: 2, downloadedAt: "2026-11-20T11:00:00Z" })],
      canSend: true,
      nextCursor: "1",
      nowMs: NOW_MS,
      done: "sent",
    }),
    shareEnded: renderEndedPage(page, { share: aShare({ state: "used_up", title: hostile, filesLeft: 0 }), kind: "usedUp" }),
    shareEndedKept: renderEndedPage(page, { share: aShare({ state: "expired", filesLeft: 1, downloads: 0 }), kind: "expired" }),
    sharedAgain: renderSharedAgainPage(page, {
      name: hostile,
      shareUrl: "https://files.example.org/d/7kXq9Zab",
      sharePath: "/d/7kXq9Zab",
      unlockCode: "X7K2P9",
      handoffUrl: "https://files.example.org/h/ho_3xK9",
    }),
    shareNoDownloads: renderDownloadsPage(page, {
      share: aShare({ state: "expired", filesLeft: 1, downloads: 0, maxDownloads: null }),
      downloads: [],
      recipients: [],
      canSend: false,
      nextCursor: null,
      nowMs: NOW_MS,
    }),
  };
}
