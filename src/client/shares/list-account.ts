import type { Output, RequestInput } from "../../service/contract.ts";
import { readAllPages } from "../server/read-pages.ts";
import type { RemoteApi } from "../server/remote-api.ts";

type ListFilesInput = RequestInput<"listFiles">;
type FilesPage = Extract<Output<"listFiles">, { pagination: unknown }>["data"];

export interface AccountFiles {
  readonly files: readonly FilesPage["files"][number][];
  readonly folders: NonNullable<FilesPage["folders"]>;
  /** The number of files on all pages. */
  readonly total: number;
}

/** Lists a folder, or the results of a search, up to `count` files. */
export async function listAccountFiles(
  api: RemoteApi,
  input: Omit<ListFilesInput, "page" | "limit" | "runId">,
  count: number,
): Promise<AccountFiles> {
  let folders: AccountFiles["folders"] = [];
  let total = 0;
  const files = await readAllPages(async (page) => {
    const listed = await api.call("listFiles", { ...input, ...page });
    if (!("pagination" in listed)) return { items: listed.data.artifacts, pagination: { totalPages: 1 } };
    if (page.page === 1) folders = listed.data.folders ?? [];
    total = listed.pagination.total;
    return { items: listed.data.files, pagination: listed.pagination };
  }, count);
  return { files, folders, total };
}

/** Lists the files of a run, up to `count`. */
export async function listRunFiles(api: RemoteApi, runId: string, count: number): Promise<AccountFiles> {
  let total = 0;
  const files = await readAllPages(async ({ page, limit }) => {
    const run = await api.call("listRun", { runId, page, limit });
    total = run.total;
    return { items: run.artifacts, pagination: { totalPages: Math.ceil(run.total / limit) } };
  }, count);
  return { files, folders: [], total };
}
