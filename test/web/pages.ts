import { type HomePageProps, renderHomePage } from "../../web/home-page.tsx";
import { renderMessagePage } from "../../web/message-page.tsx";
import { renderSharePage, type ShareFile, type SharePageProps } from "../../web/share-page.tsx";
import { renderUploadedPage, type UploadedPageProps } from "../../web/uploaded-page.tsx";

export const NOW_MS = Date.UTC(2026, 10, 20, 12, 0);
const DAY_MS = 86_400_000;

export function aFile(over: Partial<ShareFile> = {}): ShareFile {
  return {
    id: "aaaa1111bbbb2222",
    name: "Harbour at dusk.jpg",
    sizeBytes: 3_412_000,
    contentType: "image/jpeg",
    sha256: "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
    downloadsLeft: null,
    uploading: false,
    scanStatus: "clean",
    scanReason: null,
    scanCoverage: "whole",
    ...over,
  };
}

/** A share page of one file, or of `share.files`. */
export function sharePage(file: Partial<ShareFile> = {}, share: Partial<SharePageProps> = {}): string {
  const only = aFile(file);
  return renderSharePage({
    shortId: "7kXq9Zab",
    name: only.name,
    expiresAtMs: NOW_MS + 3 * DAY_MS,
    nowMs: NOW_MS,
    once: false,
    files: [only],
    ...share,
  });
}

export function homePage(over: Partial<HomePageProps> = {}): string {
  return renderHomePage({
    siteUrl: "https://files.example.org",
    limits: { fileBytes: 1024 ** 3, retentionMs: 3 * DAY_MS },
    version: "1.2.3",
    ...over,
  });
}

export function uploadedPage(over: Partial<UploadedPageProps> = {}): string {
  return renderUploadedPage({
    shareUrl: "https://files.example.org/d/7kXq9Zab",
    fileId: "aaaa1111bbbb2222",
    name: "Harbour at dusk.jpg",
    sizeBytes: 3_412_000,
    expiresAtMs: NOW_MS + 3 * DAY_MS,
    once: false,
    claimToken: `claim_${"aB3-".repeat(11)}`,
    deletionToken: `del_${"xY9_".repeat(11)}`,
    ...over,
  });
}

/** One of each page, and of each look that a page has, by name. */
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
    home: homePage(),
    uploaded: uploadedPage(),
    missing: renderMessagePage({ kind: "missing" }),
    error: renderMessagePage({ kind: "error", requestId: "01jd3c9f6x" }),
  };
}
