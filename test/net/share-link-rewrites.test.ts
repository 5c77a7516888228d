import assert from "node:assert/strict";
import { test } from "node:test";
import { toDownloadUrl } from "../../src/net/share-link-rewrites.ts";

const ONEDRIVE = "https://1drv.ms/u/s!AkXyZ?e=abc";

const REWRITTEN: Readonly<Record<string, string>> = {
  "https://drive.google.com/file/d/1AbC-d_E/view?usp=sharing":
    "https://drive.usercontent.google.com/download?export=download&confirm=t&id=1AbC-d_E",
  "https://drive.google.com/open?id=1AbC&resourcekey=0-k":
    "https://drive.usercontent.google.com/download?export=download&confirm=t&id=1AbC&resourcekey=0-k",
  "https://drive.google.com/uc?export=download&id=1AbC": "https://drive.usercontent.google.com/download?export=download&confirm=t&id=1AbC",
  "https://docs.google.com/document/d/1AbC/edit?usp=sharing": "https://docs.google.com/document/d/1AbC/export?format=docx",
  "https://docs.google.com/spreadsheets/d/1AbC/edit#gid=0": "https://docs.google.com/spreadsheets/d/1AbC/export?format=xlsx",
  "https://docs.google.com/presentation/d/1AbC/view": "https://docs.google.com/presentation/d/1AbC/export/pptx",
  "https://www.dropbox.com/s/abc/report.pdf?dl=0": "https://www.dropbox.com/s/abc/report.pdf?dl=1",
  "https://www.dropbox.com/scl/fi/abc/a.zip?rlkey=k&raw=1": "https://www.dropbox.com/scl/fi/abc/a.zip?rlkey=k&dl=1",
  [ONEDRIVE]: `https://api.onedrive.com/v1.0/shares/u!${Buffer.from(ONEDRIVE).toString("base64url")}/root/content`,
  "https://contoso-my.sharepoint.com/:x:/g/personal/a/Ea?e=1": "https://contoso-my.sharepoint.com/:x:/g/personal/a/Ea?e=1&download=1",
  "https://app.box.com/s/0a1b2c": "https://app.box.com/shared/static/0a1b2c",
  "https://contoso.app.box.com/s/0a1b2c/file/77":
    "https://contoso.app.box.com/index.php?rm=box_download_shared_file&shared_name=0a1b2c&file_id=f_77",
  "https://github.com/o/r/blob/feature/x/docs/a%20b.pdf": "https://github.com/o/r/raw/feature/x/docs/a%20b.pdf",
  "https://gist.github.com/o/0123456789abcdef0123": "https://gist.github.com/o/0123456789abcdef0123/raw",
};

/** imports, "Which URLs". */
test("rewrites share links of well-known services to download URLs", () => {
  for (const [link, expected] of Object.entries(REWRITTEN)) {
    const { url, isRewritten } = toDownloadUrl(new URL(link));
    assert.deepEqual([url.href, isRewritten], [expected, true], link);
  }
});

test("leaves other URLs unchanged, also similar ones", () => {
  const others = [
    "https://drive.google.com/drive/folders/1AbC",
    "https://github.com/o/r/releases/download/v1/a.zip",
    "https://evil-dropbox.com/s/abc/a.pdf?dl=0",
    "https://dropbox.com.example.org/s/abc/a.pdf?dl=0",
    "https://notbox.com/s/0a1b2c",
    "https://example.org/a.pdf?dl=0",
  ];
  for (const link of others) assert.deepEqual(toDownloadUrl(new URL(link)), { url: new URL(link), isRewritten: false });
});
