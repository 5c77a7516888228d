/** @jsxImportSource preact */
import { CrossIcon, DownloadIcon, DownloadSymbol } from "../site/icons.tsx";
import { Entries } from "./list-rows.tsx";
import { Path, Tools } from "./list-tools.tsx";
import { Go, type ShareProps, type ShipmentProps, severalEncryptedData } from "./share-components.tsx";
import { mustWaitForSponsor } from "./share-page-props.ts";
import { hasHiddenName } from "./share-title.ts";
import { listUrl, refreshUrl, sharePath } from "./share-urls.ts";

/** Renders the list of a shipment: search, sort and view, the selection, and a page of folders and files. */
export function FileList({ page, share, totals }: ShipmentProps) {
  const { listing } = share;
  const { list: texts } = page.texts;
  return (
    <div
      id="listing"
      data-view={listing.view}
      data-url={listUrl(share, listing)}
      data-refresh-url={refreshUrl(share)}
      {...(share.files.every(hasHiddenName) && { "data-hidden-names": "" })}
      tabIndex={-1}
    >
      <DownloadSymbol />
      <Tools page={page} share={share} totals={totals} />
      <Path page={page} share={share} />
      {listing.search === "" ? null : (
        <p class="found" data-found="">
          {texts.found(listing.count)}{" "}
          <Go share={share} change={{ search: "" }}>
            {texts.clear}
          </Go>
        </p>
      )}
      <Entries page={page} share={share} totals={totals} entries={listing} isTop />
      <Pages page={page} share={share} />
      <SelectionBar page={page} share={share} />
    </div>
  );
}

/** Renders links to the other pages of a long list. Scripts add the next page to the current one. */
function Pages({ page: { texts }, share }: ShareProps) {
  const { page, pageCount, count, folders, files } = share.listing;
  if (pageCount === 1) return null;
  const rest = count - (page - 1) * (folders.length + files.length) - folders.length - files.length;
  return (
    <nav class="pages" aria-label={texts.list.page(page, pageCount)}>
      {page > 1 ? (
        <Go share={share} change={{ page: page - 1 }} class="button plain">
          {texts.list.previous}
        </Go>
      ) : null}
      <span class="quiet">{texts.list.page(page, pageCount)}</span>
      {page < pageCount ? (
        <Go share={share} change={{ page: page + 1 }} adds class="button plain">
          <span data-more={texts.list.showMore(Math.min(rest, folders.length + files.length))}>{texts.list.next}</span>
        </Go>
      ) : null}
    </nav>
  );
}

/** Renders the download of the selected files. Scripts show it with count and size while entries are selected. */
function SelectionBar({ page, share }: ShareProps) {
  const { texts } = page;
  if (share.files.length < 2) return null;
  return (
    <div class="selection" id="selection">
      <button
        class="button"
        type="submit"
        formAction={sharePath(share, "/archive")}
        name="selected"
        value="true"
        disabled={mustWaitForSponsor(share)}
        data-selected=""
        {...severalEncryptedData(share, 0)}
      >
        <DownloadIcon />
        <span>
          <span data-label="">{texts.list.downloadSelected}</span> <span class="aside" data-size="" />
        </span>
      </button>
      <button class="button plain" type="reset" hidden data-clear="">
        <CrossIcon />
        <span class="clear">{texts.list.clearSelection}</span>
      </button>
    </div>
  );
}
