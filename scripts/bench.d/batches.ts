import type { Experiment } from "./bench.ts";
import { deleteShare, type Filehost, type OpenedShare, openShare, startFilehost } from "./filehost.ts";
import { randomBytes } from "./files.ts";

const CASE = "upload-batch-10k";
const SMALL_BYTES = 10 * 1024;
/** The number of files in one request, as on the front page. */
const FILES_PER_REQUEST = 250;
const AT_ONCE = 4;

/** Measures files of 10 KB that are sent to one shipment in requests of 250, four at the same time. */
export const batches: Experiment = {
  cases: [CASE],
  async prepare(bench, stack) {
    const requests = bench.options.quick ? 4 : 16;
    const host = await startFilehost(bench, CASE);
    stack.defer(() => host.stop());
    const bytes = randomBytes(SMALL_BYTES);
    return [
      {
        label: "ours",
        pid: host.pid,
        async measure() {
          const share = await openShare(host);
          const bodies = Array.from({ length: requests }, (_, index) => toForm(share, index * FILES_PER_REQUEST, bytes));
          const started = performance.now();
          const send = async (): Promise<void> => {
            for (let body = bodies.pop(); body !== undefined; body = bodies.pop()) await post(host, body);
          };
          await Promise.all(Array.from({ length: AT_ONCE }, send));
          const seconds = (performance.now() - started) / 1000;
          await deleteShare(host, share);
          return [{ case: CASE, side: "ours", value: (requests * FILES_PER_REQUEST) / seconds }];
        },
      },
    ];
  },
};

function toForm({ shortId, shareToken }: OpenedShare, first: number, bytes: Uint8Array<ArrayBuffer>): FormData {
  const form = new FormData();
  form.append("shareShortId", shortId);
  form.append("shareToken", shareToken);
  for (let n = first; n < first + FILES_PER_REQUEST; n++) {
    form.append("relativePath", `folder/file-${n}`);
    form.append("file", new File([bytes], `file-${n}`));
  }
  return form;
}

async function post(host: Filehost, body: FormData): Promise<void> {
  const response = await fetch(`${host.url}/api/files/batch`, { method: "POST", body });
  const text = await response.text();
  if (!response.ok) throw new Error(`a batch returned ${response.status}: ${text}`);
  const { data } = JSON.parse(text) as { data: { files: readonly { error?: string }[] } };
  const failed = data.files.find(({ error }) => error !== undefined);
  if (failed) throw new Error(`a file of a batch was refused: ${failed.error}`);
}
