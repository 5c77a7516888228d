import { renderLinkPage, renderRequestCodePage } from "../../web/requests/link-page.tsx";
import { renderReceiptPage } from "../../web/requests/receipt-page.tsx";
import { renderRequestPage } from "../../web/requests/request-page.tsx";
import type { OwnRequest } from "../../web/requests/request-view.ts";
import { renderRequestsPage } from "../../web/requests/requests-page.tsx";
import type { PageContext } from "../../web/site/page-context.ts";

const TOKEN = `rq_${"aB3-".repeat(10)}abc`;
const RECIPIENT = "age1ql3z7hjy54pw3hyww5ayyfg7zqgvc7w3j2elw8zmrj2kg5sfn9aqmcac8p";
const NOW_MS = Date.UTC(2026, 10, 20, 12);
const FOLDERS = [{ id: "0198c1f0-6d2e-7c3a-9b1f-2f4a5b6c7d8e", path: "Photos" }];

const aRequest = (over: Partial<OwnRequest> = {}): OwnRequest => ({
  id: "0198c1f0-6d2e-7c3a-9b1f-2f4a5b6c7d8e",
  requestUrl: `https://files.example.org/r/${TOKEN}`,
  title: "Photos of the party",
  message: "The large files, please.",
  folderId: null,
  maxFiles: 100,
  maxFileBytes: null,
  maxBytes: 1024 ** 3,
  once: false,
  notify: null,
  encryptTo: null,
  unlockRequired: false,
  state: "open",
  receivedFiles: 3,
  receivedBytes: 48_213_000,
  createdAt: "2026-11-20T12:00:00Z",
  expiresAt: "2026-12-20T12:00:00Z",
  closedAt: null,
  ...over,
});

const aReceived = (name: string, over: object = {}) => ({
  id: name,
  name,
  size: 3_412_000,
  url: "https://files.example.org/dl/a/b",
  shareUrl: "https://files.example.org/d/7kXq9Zab",
  visibility: "private" as const,
  scanStatus: "clean" as const,
  shortId: "7kXq9Zab",
  encrypted: false,
  thumbnailUrl: null as string | null,
  ...over,
});

/** Every state of the pages of requests. */
export function requestsPages(page: PageContext, hostile: string): Record<string, string> {
  const own = { ...page, path: "/requests", person: { name: "Ada Lovelace" } };
  const link = {
    token: TOKEN,
    from: "Ada Lovelace",
    title: "Photos of the party",
    message: null,
    leftFiles: 97,
    leftBytes: 900_000_000,
    maxFileBytes: 900_000_000,
    expiresAtMs: Date.UTC(2026, 11, 20, 12),
    nowMs: NOW_MS,
    siteUrl: "https://files.example.org",
    isScanned: true,
    encryptTo: null,
  };
  const sent = { token: TOKEN, shortId: "b", path: "/r/a/b/c", siteUrl: link.siteUrl, from: "Ada Lovelace", isOpen: true, add: link };
  const file = (name: string, over: object = {}) => ({
    id: name,
    name,
    relativePath: null,
    size: 10,
    encrypted: false,
    uploading: false,
    removable: true,
    ...over,
  });
  const hostileRequest = aRequest({
    title: hostile,
    message: hostile,
    state: "closed",
    maxFileBytes: 1024 ** 2,
    once: true,
    unlockRequired: true,
  });
  return {
    request: renderLinkPage(page, link),
    requestHostile: renderLinkPage(page, {
      ...link,
      from: hostile,
      title: hostile,
      message: `${hostile}\n${hostile}`,
      leftFiles: 1,
      isScanned: false,
    }),
    requestUrlRefused: renderLinkPage(page, { ...link, refused: { url: hostile, problem: hostile } }),
    requestEncrypted: renderLinkPage(page, { ...link, encryptTo: RECIPIENT }),
    requestCode: renderRequestCodePage(page, { token: TOKEN, from: "Ada Lovelace" }),
    requestCodeUnnamed: renderRequestCodePage(page, { token: TOKEN, from: null }),
    requestWrongCode: renderRequestCodePage(page, { token: TOKEN, from: hostile, problem: page.texts.receive.wrongCode }),
    receipt: renderReceiptPage(page, {
      ...sent,
      files: [file("a.jpg"), file("b.jpg", { removable: false }), file("c.jpg", { uploading: true })],
    }),
    receiptClosed: renderReceiptPage(page, { ...sent, from: hostile, isOpen: false, add: undefined, files: [file(hostile)] }),
    receiptEmpty: renderReceiptPage(page, { ...sent, files: [] }),
    receiptFetching: renderReceiptPage(page, { ...sent, files: [], fetched: { state: "running", percent: 40 } }),
    receiptFailed: renderReceiptPage(page, { ...sent, files: [], fetched: { state: "failed", problem: hostile } }),
    receiptEncrypted: renderReceiptPage(page, {
      ...sent,
      files: [file("encrypted-0123456789abcdef.tar.age", { encrypted: true })],
      add: { ...link, encryptTo: RECIPIENT },
    }),
    ownRequestsNone: renderRequestsPage(own, {
      list: "open",
      requests: [],
      counts: { open: 0, ended: 0 },
      folders: [],
      nowMs: NOW_MS,
      canEncrypt: false,
    }),
    ownRequestsNoneEnded: renderRequestsPage(own, {
      list: "ended",
      requests: [],
      counts: { open: 3, ended: 0 },
      folders: [],
      nowMs: NOW_MS,
      canEncrypt: false,
    }),
    ownRequests: renderRequestsPage(own, {
      list: "open",
      counts: { open: 3, ended: 1200 },
      requests: [aRequest(), aRequest({ title: hostile, state: "usedUp" }), aRequest({ state: "expired", receivedFiles: 0 })],
      folders: FOLDERS,
      nowMs: NOW_MS,
      canEncrypt: true,
      nextPage: 2,
      done: "deleted",
      problem: page.texts.errors.byField.title,
    }),
    ownRequestCreated: renderRequestPage(own, {
      request: aRequest(),
      submissions: [],
      folders: FOLDERS,
      nowMs: NOW_MS,
      done: "created",
      unlockCode: "K7MP3X",
    }),
    ownRequestEncrypted: renderRequestPage(own, {
      request: aRequest({ encryptTo: RECIPIENT }),
      submissions: [
        { senderName: "Grace", senderNote: null, createdAt: "2026-11-20T11:00:00Z", files: [aReceived("a.tar.age", { encrypted: true })] },
      ],
      folders: FOLDERS,
      nowMs: NOW_MS,
    }),
    ownRequest: renderRequestPage(own, {
      request: hostileRequest,
      submissions: [
        {
          senderName: hostile,
          senderNote: `${hostile}\n${hostile}`,
          createdAt: "2026-11-20T11:00:00Z",
          files: [
            aReceived("a.jpg"),
            aReceived(hostile),
            aReceived("c.exe", { scanStatus: "unavailable" }),
            aReceived("d.jpg", { visibility: "unlisted" }),
          ],
        },
        { senderName: null, senderNote: null, createdAt: "2026-11-19T11:00:00Z", files: [aReceived("e.jpg", { scanStatus: "pending" })] },
      ],
      folders: FOLDERS,
      nowMs: NOW_MS,
      sharedUrl: "https://files.example.org/d/7kXq9Zab",
      problem: page.texts.errors.byField.title,
    }),
  };
}
