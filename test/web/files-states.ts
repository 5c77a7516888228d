import { renderDeletePage, renderMovePage, renderRenamePage, renderShareChosenPage } from "../../web/files/action-page.tsx";
import { renderDetailsPage } from "../../web/files/details-page.tsx";
import type { FileDetails } from "../../web/files/file-details.ts";
import type { FileView, FolderView } from "../../web/files/file-views.ts";
import { type FilesPageProps, renderFilesPage } from "../../web/files/files-page.tsx";
import { renderRunPage, renderRunsPage } from "../../web/files/run-page.tsx";
import type { PageContext } from "../../web/site/page-context.ts";

const NOW_MS = Date.UTC(2026, 10, 20, 12, 0);

const aFile = (over: Partial<FileView> = {}): FileView => ({
  id: "5hQ2vR8kLm3xTz0B",
  shortId: "7kXq9Zab",
  shareUrl: "https://files.example.org/d/7kXq9Zab",
  sharePath: "/d/7kXq9Zab",
  name: "Harbour at dusk.jpg",
  size: 3_412_000,
  mimeType: "image/jpeg",
  encrypted: false,
  createdAt: "2026-11-19T12:00:00Z",
  expiresAt: "2026-11-23T12:00:00Z",
  scanStatus: "clean",
  failureReason: null,
  isBlocklisted: false,
  status: "active",
  folderId: null,
  visibility: "unlisted",
  unlockRequired: false,
  immutable: false,
  thumbnailUrl: null,
  runId: null,
  ...over,
});

const aFolder = (over: Partial<FolderView> = {}): FolderView => ({
  id: "0198c1f0-6d2e-7c3a-9b1f-2f4a5b6c7d8e",
  name: "Reports",
  parent_id: null,
  file_count: 12,
  total_size: 48_213,
  updated_at: "2025-11-19T12:00:00Z",
  ...over,
});

const aRun = (runId: string) => ({ runId, files: 12, size: 48_213, updatedAt: "2026-11-20T11:00:00Z" });
const MANY = { fileIds: ["file0", "file1"], folderIds: ["folder0"] };
const aFileOf = (name: string) => ({ fileIds: ["file0"], folderIds: [], name });

const someDetails = (over: Partial<FileView>, hostile: string): FileDetails => ({
  ...aFile(over),
  sha256: "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
  downloads: 1234,
  scanCoverage: "whole",
  preview: null,
  share: {
    kind: "shipment",
    files: 3,
    title: "Photos",
    message: hostile,
    handoffMessage: null,
    latestExpiresAt: "2027-02-18T12:00:00Z",
    priceCents: null,
    priceThumbnails: false,
    maxDownloads: 5,
    retention: "ttl",
    direct: false,
    notify: null,
  },
  madeFrom: [
    { id: "5hQ2vR8kLm3xTz0C", name: "Negative.tif" },
    { id: "5hQ2vR8kLm3xTz0D", name: hostile },
  ],
  usedIn: [{ id: "5hQ2vR8kLm3xTz0E", name: "Poster.pdf" }],
});

const FEE = { basisPoints: 500, fixedCents: 30 };

/** The states of the pages of an account's files. */
export function filesPages(context: PageContext, hostile: string): Record<string, string> {
  const page = { ...context, path: "/files", person: { name: hostile } };
  const list = (files: readonly FileView[], folders: readonly FolderView[] = [], over: Partial<FilesPageProps> = {}): string =>
    renderFilesPage(page, {
      query: { folderId: null, search: "", sort: "created", order: "desc" },
      listing: {
        files: files.map((file, index) => ({ ...file, id: `file${index}` })),
        folders: folders.map((folder, index) => ({ ...folder, id: `folder${index}` })),
        path: [],
        parents: [],
        total: files.length,
      },
      pageNumber: 1,
      view: "table",
      nowMs: NOW_MS,
      maxBytes: 1024 ** 3,
      accountId: "5hQ2vR8kLm3xTz0A",
      ...over,
    });
  const files = [
    aFile(),
    aFile({ name: hostile, unlockRequired: true, visibility: "public", immutable: true, expiresAt: null }),
    aFile({ scanStatus: "scanning", expiresAt: "2026-11-20T14:00:00Z" }),
    aFile({ scanStatus: "unavailable", failureReason: "infected" }),
    aFile({ scanStatus: "unavailable", failureReason: "digest_mismatch" }),
    aFile({ scanStatus: "unavailable", failureReason: "scan_failed", isBlocklisted: true }),
    aFile({ status: "dmca_removed" }),
    aFile({ status: "expired" }),
    aFile({ expiresAt: "2026-11-20T14:00:00Z", createdAt: "2026-11-20T11:00:00Z" }),
  ];
  const inFolder = {
    files,
    folders: [aFolder()],
    path: [
      { id: "folder7", name: hostile },
      { id: "folder8", name: "Reports" },
    ],
    parents: [{ id: "folder7", name: hostile }],
  };
  const priced = someDetails({}, hostile);
  return {
    filesList: list(files, [aFolder(), aFolder({ name: hostile })]),
    filesGrid: list(files, [aFolder()], { view: "grid", done: context.texts.files.deleted(1) }),
    filesFolder: list([], [], {
      query: { folderId: "folder8", search: "", sort: "name", order: "asc" },
      listing: { ...inFolder, total: files.length },
      problem: hostile,
    }),
    filesSearch: list([], [], {
      query: { folderId: null, search: hostile, sort: "size", order: "desc" },
      listing: { ...inFolder, files: [aFile({ folderId: "folder7" })], path: [], total: 1 },
    }),
    filesEmpty: list([]),
    filesDelete: renderDeletePage(page, { chosen: aFileOf(hostile), back: "/files" }),
    filesDeleteFolder: renderDeletePage(page, { chosen: { fileIds: [], folderIds: ["folder0"], name: hostile }, back: "/files" }),
    filesDeleteMany: renderDeletePage(page, { chosen: MANY, back: "/files" }),
    filesMove: renderMovePage(page, { chosen: MANY, back: "/files", folders: [{ id: "folder1", path: `Reports / ${hostile}` }] }),
    filesRename: renderRenamePage(page, { chosen: aFileOf(hostile), back: "/files" }),
    filesShare: renderShareChosenPage(page, { chosen: { fileIds: [], folderIds: ["folder0"], name: hostile }, back: "/files" }),
    filesShared: renderShareChosenPage(page, { chosen: MANY, back: "/files", shareUrl: "https://files.example.org/d/7kXq9Zab" }),
    fileDetails: renderDetailsPage(page, {
      file: someDetails({ name: hostile, unlockRequired: true }, hostile),
      nowMs: NOW_MS,
      isSaved: true,
      credentials: { unlockCode: "K7MP3X", handoffUrl: `https://files.example.org/h/ho_${"aB3-".repeat(11)}` },
    }),
    fileDetailsFixed: renderDetailsPage(page, {
      file: someDetails({ immutable: true, expiresAt: null, runId: hostile }, hostile),
      nowMs: NOW_MS,
      problem: hostile,
    }),
    fileDetailsEncrypted: renderDetailsPage(page, { file: someDetails({ encrypted: true }, hostile), nowMs: NOW_MS, fee: FEE }),
    fileDetailsPriced: renderDetailsPage(page, {
      file: { ...priced, share: { ...priced.share, priceCents: 499, priceThumbnails: true } },
      ...{ nowMs: NOW_MS, fee: FEE },
    }),
    fileDetailsPrivate: renderDetailsPage(page, { file: someDetails({ visibility: "private", folderId: "f1" }, hostile), nowMs: NOW_MS }),
    filesRun: renderRunPage(page, { runId: hostile, files, total: 1_234, pageNumber: 2, nowMs: NOW_MS }),
    filesRuns: renderRunsPage(page, { runs: [aRun("build-42"), aRun(hostile)], total: 250, pageNumber: 1, nowMs: NOW_MS }),
    filesRunsNone: renderRunsPage(page, { runs: [], total: 0, pageNumber: 1, nowMs: NOW_MS }),
  };
}
