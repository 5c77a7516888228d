/**
 * A URL to download from. Share links of well-known services lead to a page and are rewritten to the file's URL (imports, "Which
 * URLs").
 */
export interface DownloadUrl {
  readonly url: URL;
  /** Whether the URL was a share link, for which a page in response is never the file. */
  readonly isRewritten: boolean;
}

/** Rewrites a share link of Google Drive, Dropbox, OneDrive, Box or GitHub to a download URL. Returns any other URL unchanged. */
export function toDownloadUrl(url: URL): DownloadUrl {
  const host = url.hostname.toLowerCase().replace(/\.$/, "");
  for (const [isHost, rewrite] of RULES) {
    const rewritten = isHost.test(host) ? rewrite(url) : undefined;
    if (rewritten !== undefined) return { url: rewritten, isRewritten: true };
  }
  return { url, isRewritten: false };
}

type Rewrite = (url: URL) => URL | undefined;

const RULES: ReadonlyArray<readonly [RegExp, Rewrite]> = [
  [/^drive\.google\.com$/, fromDrive],
  [/^docs\.google\.com$/, fromGoogleDocs],
  [/^(www\.)?dropbox\.com$/, fromDropbox],
  [/^(1drv\.ms|onedrive\.live\.com)$/, fromOneDrive],
  [/\.sharepoint\.com$/, fromSharePoint],
  [/^([\w-]+\.)*box\.com$/, fromBox],
  [/^(www\.)?github\.com$/, fromGitHub],
  [/^gist\.github\.com$/, fromGist],
];

/** Rewrites `/file/d/ID/view`, `/open?id=ID`, `/uc?id=ID`. For large files Drive sends a confirmation page, which `confirm` skips. */
function fromDrive(url: URL): URL | undefined {
  const id = /^\/(?:u\/\d+\/)?file\/(?:u\/\d+\/)?d\/([\w-]+)/.exec(url.pathname)?.[1] ?? byQuery(url);
  if (id === undefined) return undefined;
  const download = new URL("https://drive.usercontent.google.com/download?export=download&confirm=t");
  download.searchParams.set("id", id);
  return copyParameter(url, download, "resourcekey");
}

function byQuery(url: URL): string | undefined {
  return /^\/(open|uc)$/.test(url.pathname) ? (url.searchParams.get("id") ?? undefined) : undefined;
}

const DOCUMENT_FORMATS: Readonly<Record<string, string>> = { document: "docx", spreadsheets: "xlsx", presentation: "pptx" };

function fromGoogleDocs(url: URL): URL | undefined {
  if (url.pathname === "/uc") return fromDrive(url);
  const [, kind, id] =
    /^\/(document|spreadsheets|presentation)\/(?:u\/\d+\/)?d\/([\w-]+)(?:\/(?:edit|view|preview|copy)?)?$/.exec(url.pathname) ?? [];
  if (kind === undefined || id === undefined || id === "e") return undefined;
  const format = DOCUMENT_FORMATS[kind] ?? "";
  const path = kind === "presentation" ? `/presentation/d/${id}/export/${format}` : `/${kind}/d/${id}/export?format=${format}`;
  return copyParameter(url, new URL(path, "https://docs.google.com"), "resourcekey");
}

function fromDropbox(url: URL): URL | undefined {
  if (!/^\/(s|sh|scl\/f[io])\//.test(url.pathname)) return undefined;
  const download = new URL(url);
  download.searchParams.delete("raw");
  download.searchParams.set("dl", "1");
  return download;
}

/** Rewrites a share link of OneDrive, whose API identifies a share by its link in base64url. */
function fromOneDrive(url: URL): URL | undefined {
  const isShare =
    url.hostname === "1drv.ms" || url.searchParams.has("resid") || url.searchParams.has("id") || url.searchParams.has("redeem");
  if (!isShare) return undefined;
  const link = Buffer.from(url.href, "utf8").toString("base64url");
  return new URL(`https://api.onedrive.com/v1.0/shares/u!${link}/root/content`);
}

function fromSharePoint(url: URL): URL | undefined {
  if (!/^\/:[a-z]:\//.test(url.pathname)) return undefined;
  const download = new URL(url);
  download.searchParams.set("download", "1");
  return download;
}

function fromBox(url: URL): URL | undefined {
  const [, name, fileId] = /^\/s\/(\w+)(?:\/file\/(\d+))?\/?$/.exec(url.pathname) ?? [];
  if (name === undefined) return undefined;
  if (fileId === undefined) return new URL(`/shared/static/${name}`, url);
  const download = new URL("/index.php?rm=box_download_shared_file", url);
  download.searchParams.set("shared_name", name);
  download.searchParams.set("file_id", `f_${fileId}`);
  return download;
}

/** Rewrites a link of GitHub, which resolves where a branch name ends and the path begins. */
function fromGitHub(url: URL): URL | undefined {
  const [, repository, rest] = /^(\/[^/]+\/[^/]+)\/blob\/(.+)$/.exec(url.pathname) ?? [];
  return repository === undefined ? undefined : new URL(`${repository}/raw/${rest}`, "https://github.com");
}

function fromGist(url: URL): URL | undefined {
  return /^\/[\w-]+\/[0-9a-f]{20,}\/?$/.test(url.pathname) ? new URL(`${url.pathname.replace(/\/$/, "")}/raw`, url) : undefined;
}

function copyParameter(from: URL, to: URL, name: string): URL {
  const value = from.searchParams.get(name);
  if (value !== null) to.searchParams.set(name, value);
  return to;
}
