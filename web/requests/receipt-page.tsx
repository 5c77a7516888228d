/** @jsxImportSource preact */
import { formatSize } from "../../src/lib/text/format-size.ts";
import { hidesName } from "../../src/transfer/encryption/is-hidden-name.ts";
import { FileName, FileTile, LockTile } from "../site/file-name.tsx";
import { CheckIcon } from "../site/icons.tsx";
import { renderDocument } from "../site/layout.tsx";
import { Problem } from "../site/outcome.tsx";
import type { PageContext } from "../site/page-context.ts";
import { linkPath } from "./paths.ts";
import { SendForm, type SendTarget } from "./send-form.tsx";

export interface ReceiptFile {
  readonly id: string;
  readonly name: string;
  readonly relativePath: string | null;
  readonly size: number;
  readonly encrypted: boolean;
  readonly uploading: boolean;
  readonly removable: boolean;
}

/** A file that the server fetches, or has fetched, for the sender. */
export type FetchedFile =
  | { readonly state: "running"; readonly percent: number | null }
  | { readonly state: "completed" }
  | { readonly state: "failed"; readonly problem: string };

export interface ReceiptPageProps {
  readonly token: string;
  readonly shortId: string;
  /** The action of the forms, which is the path of this page. */
  readonly path: string;
  readonly siteUrl: string;
  readonly from: string;
  readonly files: readonly ReceiptFile[];
  /** Whether files can be removed. */
  readonly isOpen: boolean;
  /** Whether the files are encrypted to the key that the link may have in its fragment. */
  readonly isEncrypted?: boolean;
  /** The request, if more files can be sent. */
  readonly add?: SendTarget | undefined;
  readonly fetched?: FetchedFile | undefined;
}

/** The time after which the page without scripts loads itself again while a file is being fetched. */
const REFRESH_SECONDS = 3;

/** The largest number of files with a row. Only the first files have one. */
const MAX_ROWS = 500;

/** Renders the files that a sender has sent to a request, with forms that remove them. */
export function renderReceiptPage(
  page: PageContext,
  { token, shortId, path, siteUrl, from, files, isOpen, isEncrypted = false, add, fetched }: ReceiptPageProps,
): string {
  const texts = page.texts.receive;
  const sent = page.texts.send.files(files.length);
  const isFetching = fetched?.state === "running";
  const nothing = { running: texts.fetching, failed: texts.failedAll, completed: texts.receiptNothing }[fetched?.state ?? "completed"];
  const title = files.length === 0 ? nothing : texts.receiptTitle(sent);
  const removable = files.filter((file) => file.removable);
  // A receipt stays when the link of its request is replaced, from which it would know that the files are encrypted.
  const hasHiddenNames = files.some(hidesName);
  return renderDocument(page, {
    title,
    styles: ["requests"],
    scripts: isEncrypted || hasHiddenNames ? ["page", "request"] : ["page"],
    ...(isFetching && { refresh: { seconds: REFRESH_SECONDS } }),
    main: isFetching ? { "data-state": `receipt ${fetched.percent} ${files.length}`, "data-refresh": "" } : { "data-state": "receipt" },
    children: (
      <>
        <div class="hero">
          <h1>{title}</h1>
          {isFetching ? <p>{fetched.percent === null ? texts.fetchingLead : `${texts.fetchingLead} ${fetched.percent} %`}</p> : null}
          {files.length === 0 || isFetching ? null : (
            <p>{(isOpen ? texts.receiptLead : texts.receiptClosed)[files.length === 1 ? "one" : "several"](from)}</p>
          )}
        </div>
        {fetched?.state === "failed" ? <Problem>{`${texts.notFetched} ${fetched.problem}`}</Problem> : null}
        {files.length === 0 ? null : (
          <section class="card">
            <ul class="files" id="receipt" {...(hasHiddenNames ? { "data-submission": shortId } : {})}>
              {files.slice(0, MAX_ROWS).map((file) => (
                <li key={file.id} {...(hidesName(file) ? { "data-hidden-name": file.name, "data-size": file.size } : {})}>
                  {hidesName(file) ? <LockTile /> : <FileTile name={file.name} />}
                  <div class="what">
                    <p class="name">
                      <FileName name={nameOf(page, file)} />
                    </p>
                    <p class="quiet">
                      {formatSize(file.size, page.language)}
                      {file.uploading ? ` · ${texts.receiptUploading}` : file.removable ? null : ` · ${texts.receiptShared}`}
                    </p>
                  </div>
                  {isOpen && file.removable ? (
                    <form method="post" action={path} data-keep-key="">
                      <button class="button small" type="submit" name="fileId" value={file.id}>
                        {texts.remove}
                        <span class="unseen"> {nameOf(page, file)}</span>
                      </button>
                    </form>
                  ) : (
                    <span class="receipt-mark" aria-hidden="true">
                      <CheckIcon />
                    </span>
                  )}
                </li>
              ))}
            </ul>
            {hasHiddenNames ? (
              <p class="quiet" id="receipt-names">
                {texts.namesHidden}
              </p>
            ) : null}
          </section>
        )}
        {add === undefined ? null : (
          <div class="without-scripts">
            <SendForm page={page} token={token} action={path} submitLabel={texts.sendMore} {...add}>
              {files.length === 0 ? null : <p class="quiet">{texts.adding}</p>}
            </SendForm>
          </div>
        )}
        <div class="choices receipt-actions">
          {add === undefined ? null : (
            <a class="button with-scripts" href={linkPath(token)} data-keep-key="">
              {texts.sendMore}
            </a>
          )}
          {isOpen && removable.length > 1 ? (
            <form method="post" action={path} data-keep-key="">
              <button class="button plain" type="submit">
                {texts.removeAll}
              </button>
            </form>
          ) : null}
        </div>
        <div class="receipt-keep">
          <p class="quiet">{texts.receiptKeep}</p>
          <span id="receipt-link" hidden>
            {siteUrl + path}
          </span>
          <button class="button plain small with-scripts" type="button" data-copy="receipt-link">
            {texts.receiptCopy}
          </button>
        </div>
      </>
    ),
  });
}

/** Returns the path with which a file was sent. A hidden name says nothing; a script shows the own one where the device knows it. */
const nameOf = ({ texts }: PageContext, file: ReceiptFile): string =>
  hidesName(file) ? texts.shares.encryptedFile : (file.relativePath ?? file.name);
