import type { Contestant, Experiment } from "./bench.ts";
import { authorization, makeOwnerKey, startFilehost } from "./filehost.ts";
import { randomBytes } from "./files.ts";
import { askInTurn, get, quantile } from "./latency.ts";
import { startNginx } from "./nginx.ts";
import { findOwnerId, insertShares } from "./rows.ts";
import { signUp } from "./sign-in.ts";
import { filesPerSecond, smallUploadsToNginx } from "./uploads.ts";

const UPLOAD = "upload-10k-key";
const UPLOAD_BYTES = 10 * 1024;
/** The default settings, except for the general rate, which the load would exceed within a second. */
const LIMITS_ON = { FILEHOST_RATE_LIMITS: "on", FILEHOST_LIMITS: JSON.stringify({ rates: { anonymous: 1e9, free: 1e9, pro: 1e9 } }) };

/** Measures uploads of small files by 16 clients through the API's form, with a key: includes authentication, rate, quota and form parsing. */
export const keyedUploads: Experiment = {
  cases: [UPLOAD],
  async prepare(bench, stack) {
    const nginx = await startNginx(bench, stack);
    const host = await startFilehost(bench, "keyed-uploads", LIMITS_ON);
    stack.defer(() => host.stop());
    const key = await makeOwnerKey(bench, host);
    const bytes = randomBytes(UPLOAD_BYTES);
    let serial = 0;
    return [
      {
        label: "ours",
        pid: host.pid,
        async measure() {
          const value = await filesPerSecond(() => postForm(`${host.url}/api/files/upload`, key, new File([bytes], `small-${++serial}`)));
          return [{ case: UPLOAD, side: "ours", value }];
        },
      },
      smallUploadsToNginx(nginx, UPLOAD, bytes),
    ];
  },
};

async function postForm(url: string, key: string, file: File): Promise<void> {
  const body = new FormData();
  body.set("file", file);
  const response = await fetch(url, { method: "POST", headers: authorization(key), body });
  const text = await response.text();
  if (!response.ok) throw new Error(`the upload returned ${response.status}: ${text}`);
}

const FIRST = "list-50-of-100k";
const ANYWHERE = "list-50-anywhere";
const PAGE = 50;
const ASKED = 200;

const ORDERED = "list-100-ordered";
const SEARCHED = "list-100-searched";
const IDS = "list-ids";
const FILES_PAGE = "files-page";
const DASHBOARD_PAGE = 100;
/** All orders of the dashboard. */
const ORDERS = ["created", "name", "size", "state"].flatMap((sort) => ["asc", "desc"].map((order) => `sort=${sort}&order=${order}`));
/** Words that few, many and all names contain. */
const WORDS = ["99999", "number 7", "note"];

/**
 * Measures a large account's lists with its session: the median of the newest page, and of older ones; the 95th percentile of the dashboard's pages,
 * over all orders, searches and positions, of the IDs of all results of a search, and of its page of files.
 */
export const listings: Experiment = {
  cases: [FIRST, ANYWHERE, ORDERED, SEARCHED, IDS, FILES_PAGE],
  async prepare(bench, stack) {
    const first = await startFilehost(bench, "listings");
    const session = await signUp(first);
    await first.stop();
    insertShares(first.dataDir, { count: bench.manyFiles, ownerId: findOwnerId(first.dataDir) });
    await bench.processes.run("sync", []);
    const host = await startFilehost(bench, "listings");
    stack.defer(() => host.stop());
    let turn = 0;
    const contestant = (caseName: string, label: string, nextPath: () => string, percentile = 0.95): Contestant => ({
      label,
      pid: host.pid,
      async measure() {
        const ask = () => get(host.url + nextPath(), { cookie: `session=${session}` });
        return [{ case: caseName, side: "ours", value: quantile(await askInTurn(ASKED, ask), percentile) }];
      },
    });
    // A prime step visits pages of the whole account, the same in each run.
    const anyPage = (limit: number): string => `limit=${limit}&page=${1 + ((turn++ * 613) % (bench.manyFiles / limit))}`;
    const anyOrder = (): string => ORDERS[turn % ORDERS.length] ?? "";
    const anyWord = (): string => encodeURIComponent(WORDS[turn % WORDS.length] ?? "");
    const list = (query: string): string => `/api/files/list?${query}`;
    return [
      contestant(FIRST, "the newest", () => list(`limit=${PAGE}&page=1`), 0.5),
      contestant(ANYWHERE, "any page", () => list(anyPage(PAGE)), 0.5),
      contestant(ORDERED, "any order", () => list(`folderId=null&${anyOrder()}&${anyPage(DASHBOARD_PAGE)}`)),
      contestant(SEARCHED, "any search", () => list(`search=${anyWord()}&${anyOrder()}&${anyPage(DASHBOARD_PAGE)}`)),
      contestant(IDS, "IDs of any search", () => `/api/files/list/ids?search=${encodeURIComponent(WORDS[turn++ % WORDS.length] ?? "")}`),
      contestant(FILES_PAGE, "the page of files", () => `/files?${anyOrder()}&page=${turn++}`),
    ];
  },
};
