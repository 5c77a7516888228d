import { renderDeletionPage } from "../../web/deletion-page.tsx";
import { type HomePageProps, renderHomePage } from "../../web/home-page.tsx";
import { renderMessagePage } from "../../web/message-page.tsx";
import type { PageContext } from "../../web/page-context.ts";
import { renderReportPage } from "../../web/report-page.tsx";
import { renderSharePage } from "../../web/share-page.tsx";
import type { ShareAccess, ShareFile, SharePageProps, ShareWait } from "../../web/share-view.ts";
import { catalogue } from "../../web/texts/catalogue.ts";
import { renderUploadedPage, type UploadedPageProps } from "../../web/uploaded-page.tsx";

export const NOW_MS = Date.UTC(2026, 10, 20, 12, 0);
const DAY_MS = 86_400_000;

/** The context of pages in English. */
export const ENGLISH: PageContext = {
  language: "en",
  texts: catalogue.en,
  query: "",
  site: { name: "filehost", url: "https://files.example.org", hasOwnUrl: false },
};

export function aFile(over: Partial<ShareFile> = {}): ShareFile {
  return {
    id: "aaaa1111bbbb2222",
    name: "Harbour at dusk.jpg",
    sizeBytes: 3_412_000,
    contentType: "image/jpeg",
    sha256: "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
    downloadsLeft: null,
    thumbnailUrl: null,
    thumbnailWidth: null,
    thumbnailHeight: null,
    uploading: false,
    scanStatus: "clean",
    scanReason: null,
    scanCoverage: "whole",
    ...over,
  };
}

export const UNLOCKED: ShareAccess & { readonly kind: "unlocked" } = { kind: "unlocked", field: "unlockToken", token: "ul_abc.def" };

export const aWait = (seconds: number): ShareWait => ({ token: "mftk0000.abc-_D", seconds });

/** Files in two folders and outside folders. */
export const folderOf = (count: number): ShareFile[] =>
  Array.from({ length: count }, (_, index) =>
    aFile({
      id: `f${index}`,
      name: `IMG_${index}.jpg`,
      relativePath: index < 2 ? null : `Trip/${index % 2 === 0 ? "2025" : "2026"}/IMG_${index}.jpg`,
    }),
  );

/** A share page of one file, or of `share.files`. */
export function sharePage(file: Partial<ShareFile> = {}, share: Partial<SharePageProps> = {}): string {
  const only = aFile(file);
  return renderSharePage(ENGLISH, {
    shortId: "7kXq9Zab",
    kind: share.files === undefined ? "file" : "shipment",
    name: only.name,
    expiresAtMs: NOW_MS + 3 * DAY_MS,
    nowMs: NOW_MS,
    once: false,
    access: { kind: "open" },
    files: [only],
    ...share,
  });
}

export function showHomePage(over: Partial<HomePageProps> = {}): string {
  return renderHomePage(ENGLISH, {
    siteUrl: "https://files.example.org",
    limits: { fileBytes: 1024 ** 3, retentionMs: 3 * DAY_MS },
    isScanned: true,
    version: "1.2.3",
    ...over,
  });
}

export function showUploadedPage(over: Partial<UploadedPageProps> = {}): string {
  return renderUploadedPage(ENGLISH, {
    shareUrl: "https://files.example.org/d/7kXq9Zab",
    fileId: "aaaa1111bbbb2222",
    name: "Harbour at dusk.jpg",
    fileCount: 1,
    sizeBytes: 3_412_000,
    expiresAtMs: NOW_MS + 3 * DAY_MS,
    once: false,
    claimToken: `claim_${"aB3-".repeat(11)}`,
    deletionToken: `del_${"xY9_".repeat(11)}`,
    deletionUrl: `https://files.example.org/delete/aaaa1111bbbb2222/del_${"xY9_".repeat(11)}`,
    ...over,
  });
}

/** Each page in each of its variants, by name. */
export function allPages(): Readonly<Record<string, string>> {
  return {
    clean: sharePage(),
    scanning: sharePage({ scanStatus: "scanning", scanCoverage: null, sha256: null }),
    uploading: sharePage({ uploading: true, scanStatus: "pending", scanCoverage: null, sha256: null, sizeBytes: null }),
    unchecked: sharePage({ scanCoverage: "none", downloadsLeft: 1 }, { once: true }),
    infected: sharePage({ scanStatus: "unavailable", scanReason: "infected" }, { expiresAtMs: null }),
    long: sharePage({ name: `${"without-any-space-".repeat(14)}.tar.gz` }),
    shipment: sharePage(
      {},
      { name: "Photos", files: [aFile(), aFile({ id: "b2", name: "Map.pdf", scanStatus: "pending", scanCoverage: null })] },
    ),
    files: sharePage({}, { name: "Photos", files: folderOf(12) }),
    locked: sharePage({}, { access: { kind: "locked" } }),
    wrongCode: sharePage(
      { downloadsLeft: 3 },
      { access: { kind: "locked", problem: "Too many wrong codes.", retryAtMs: NOW_MS + DAY_MS / 100 } },
    ),
    lockedShipment: sharePage({}, { access: { kind: "locked" }, files: [aFile({ scanStatus: "pending", scanCoverage: null })] }),
    unlocked: sharePage({ scanStatus: "pending", scanCoverage: null }, { access: UNLOCKED }),
    delivery: sharePage({}, { access: { ...UNLOCKED, field: "handoffToken" }, message: `Hi!\n\n${"An-address-without-end/".repeat(12)}` }),
    waiting: sharePage({}, { wait: aWait(300) }),
    waitingShipment: sharePage({}, { wait: aWait(1), files: folderOf(3), access: UNLOCKED }),
    home: showHomePage(),
    uploaded: showUploadedPage(),
    uploadedProtected: showUploadedPage({ unlockCode: "7K2MQX", handoffUrl: `https://files.example.org/h/ho_${"aB3-".repeat(11)}` }),
    deletion: renderDeletionPage(ENGLISH, {
      kind: "file",
      name: "Harbour at dusk.jpg",
      sizeBytes: 3_412_000,
      path: "/delete/aaaa1111bbbb2222/del_xY9",
    }),
    report: renderReportPage(ENGLISH, {
      shareUrl: "https://files.example.org/d/7kXq9Zab",
      path: "/report/7kXq9Zab",
      file: { name: "Harbour at dusk.jpg", sizeBytes: 3_412_000 },
    }),
    reportAgain: renderReportPage(ENGLISH, {
      shareUrl: "https://files.example.org/d/7kXq9Zab",
      path: "/report/7kXq9Zab",
      entered: { reason: "other", email: "ada" },
      problem: { field: "email" },
    }),
    reported: renderMessagePage(ENGLISH, { kind: "reported" }),
    deleted: renderMessagePage(ENGLISH, { kind: "deleted" }),
    missing: renderMessagePage(ENGLISH, { kind: "missing" }),
    error: renderMessagePage(ENGLISH, { kind: "error", requestId: "01jd3c9f6x" }),
  };
}
