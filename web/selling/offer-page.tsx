/** @jsxImportSource preact */
import { formatSize } from "../../src/lib/text/format-size.ts";
import { pathInShare } from "../../src/lib/text/relative-path.ts";
import { listedFiles } from "../share/file-listing.ts";
import { Facts, HiddenFields, LocalTime, Message, Sender, type ShareProps, State } from "../share/share-components.tsx";
import { ShareFacts } from "../share/share-details.tsx";
import { isOneFile, type SharePageProps, toOwnData } from "../share/share-page-props.ts";
import { titleOf } from "../share/share-title.ts";
import { type FileTotals, totalFiles } from "../share/share-totals.ts";
import { sharePath } from "../share/share-urls.ts";
import { describeTotals } from "../share/shipment.tsx";
import { Thumbnail } from "../share/thumbnail-image.tsx";
import { FileName, FileTile } from "../site/file-name.tsx";
import { isBlocked, toFileStatus } from "../site/file-status.ts";
import { describeType } from "../site/file-types.ts";
import { formatDollars, fullName, visibleText } from "../site/format.ts";
import { InfoIcon, WaitIcon } from "../site/icons.tsx";
import { renderDocument } from "../site/layout.tsx";
import type { PageContext } from "../site/page-context.ts";
import { canBuy, type SaleOffer } from "./sale-view.ts";

const REFRESH_SECONDS = 15;
/** The largest number of files that are named. More are counted. */
const MAX_FILES = 100;

interface OfferProps extends ShareProps {
  readonly offer: SaleOffer;
  readonly totals: FileTotals;
}

/** Renders a share with a price for people who have not bought it: its description, its price, and one button. */
export function renderOfferPage(page: PageContext, { share: whole, offer }: Omit<OfferProps, "page" | "totals">): string {
  // Blocked files are left out, because nobody can download them.
  const share = { ...whole, files: whole.files.filter((file) => !isBlocked(toFileStatus(file))) };
  const totals = totalFiles(share.files);
  const { texts, language } = page;
  const title = titleOf(page, share);
  const price = formatDollars(offer.priceCents, language);
  const problem = offer.problem && texts.sale.problems[offer.problem];
  const waits = offer.problem === "waiting";
  return renderDocument(page, {
    title,
    description: `${describeFiles(page, share, totals)}, ${price}`,
    width: "narrow",
    // A purchase replaces the content of the page by that of the share.
    styles: ["gallery"],
    refresh: waits ? { seconds: REFRESH_SECONDS } : undefined,
    main: {
      "data-state": `offer ${offer.priceCents} ${offer.problem ?? ""}`.trim(),
      "data-say": problem ? `${problem.title}. ${problem.text}` : `${title}. ${texts.sale.buy(price)}.`,
      ...toOwnData(share),
      ...(waits ? { "data-refresh": "" } : {}),
    },
    children: (
      <article class="card share offer">
        <Sender page={page} share={share} />
        <OfferHeading page={page} share={share} totals={totals} />
        {isOneFile(share) ? <OfferImage page={page} share={share} /> : null}
        <Message page={page} text={share.message} />
        {isOneFile(share) ? null : <OfferFiles page={page} share={share} />}
        <Purchase page={page} share={share} offer={offer} totals={totals} />
        <ShareFacts page={page} share={share} totals={totals} />
      </article>
    ),
  });
}

function describeFiles({ texts, language }: PageContext, share: SharePageProps, { count, sizeBytes }: FileTotals): string {
  const [file] = share.files;
  const what = file !== undefined && isOneFile(share) ? describeType(texts.types, file) : texts.share.files(count);
  return sizeBytes === null || count === 0 ? what : `${what}, ${formatSize(sizeBytes, language)}`;
}

function OfferHeading({ page, share, totals }: ShareProps & { readonly totals: FileTotals }) {
  const [file] = share.files;
  const facts = [describeFiles(page, share, totals).replace(", ", " · ")];
  const hasTitle = Boolean(share.title?.trim());
  if (file === undefined || !isOneFile(share))
    return (
      <div class="heading">
        <h1 class="name">
          <bdi>{titleOf(page, share)}</bdi>
        </h1>
        <Facts page={page} share={share} facts={facts} />
      </div>
    );
  return (
    <div class="file">
      <FileTile name={file.name} />
      <div class="heading">
        <h1 class="name">{hasTitle ? <bdi>{titleOf(page, share)}</bdi> : <FileName name={file.name} />}</h1>
        {hasTitle ? (
          <p>
            <FileName name={file.name} />
          </p>
        ) : null}
        <Facts page={page} share={share} facts={facts} />
      </div>
    </div>
  );
}

/** Renders the thumbnail of the only file, if the seller shows it. */
function OfferImage({ page: { texts }, share }: ShareProps) {
  const [file] = listedFiles(share.listing);
  if (file === undefined || file.thumbnailUrl === null) return null;
  const { label, imageFailed } = texts.preview;
  return (
    <div class="preview">
      <img src={file.thumbnailUrl} alt={label(fullName(file.name))} decoding="async" data-failed={imageFailed} />
    </div>
  );
}

function OfferFiles({ page: { texts, language }, share: { files, listing } }: ShareProps) {
  const thumbnails = new Map(listedFiles(listing).map((file) => [file.id, file]));
  const hasThumbnails = thumbnails.values().some(({ thumbnailUrl }) => thumbnailUrl !== null);
  const more = files.length - MAX_FILES;
  return (
    <section>
      <h2 class="quiet">{texts.sale.filesTitle}</h2>
      <ul class="entries offer-files">
        {files.slice(0, MAX_FILES).map((file) => (
          <li key={file.id}>
            {hasThumbnails ? <Thumbnail file={thumbnails.get(file.id) ?? file} /> : null}
            <span>
              <FileName name={pathInShare(file)} />
            </span>
            <span class="quiet">
              {[describeType(texts.types, file), ...(file.sizeBytes === null ? [] : [formatSize(file.sizeBytes, language)])].join(" · ")}
            </span>
          </li>
        ))}
      </ul>
      {more > 0 ? <p class="quiet">{texts.sale.moreFiles(more.toLocaleString(language))}</p> : null}
    </section>
  );
}

/** Renders the price, the contents of the purchase, and the button. A problem replaces the button. */
function Purchase({ page, share, offer, totals }: OfferProps) {
  const { sale: texts } = page.texts;
  const { problem } = offer;
  const price = formatDollars(offer.priceCents, page.language);
  return (
    <form class="download offer-buy" method="post" action={sharePath(share, "/buy")} data-once="" autocomplete="off">
      <HiddenFields share={share} />
      <input type="hidden" name="priceCents" value={offer.priceCents} />
      <p class="name offer-price">{price}</p>
      <p class="quiet">
        {texts.paidOnce} {offer.isLimited ? texts.oneDownload : null}
      </p>
      {problem === undefined ? null : <OfferState {...texts.problems[problem]} isWaiting={problem === "waiting"} />}
      {canBuy(problem) ? (
        <button class="button" type="submit" aria-describedby="offer-terms">
          {offer.openPurchase === undefined ? texts.buy(price) : texts.goOn(price)}
        </button>
      ) : null}
      {canBuy(problem) ? <ScanNote page={page} share={share} totals={totals} /> : null}
      <div class="heading quiet" id="offer-terms">
        {canBuy(problem) ? (
          <>
            <Until page={page} share={share} />
            <p>{offer.seller === null ? texts.soldBySender : texts.soldBy(visibleText(offer.seller))}</p>
          </>
        ) : null}
        <p>{offer.openPurchase === undefined ? texts.boughtAlready : <a href={offer.openPurchase}>{texts.checkPayment}</a>}</p>
      </div>
    </form>
  );
}

/** Renders the warning that nobody scanned the files, or that their sender encrypted them. */
function ScanNote({ page, share, totals }: ShareProps & { readonly totals: FileTotals }) {
  const state = describeTotals(page, totals);
  if (state.tone !== "note") return null;
  const [file] = share.files;
  return <State {...state} {...(file !== undefined && isOneFile(share) && page.texts.status[toFileStatus(file)])} />;
}

function OfferState({ title, text, isWaiting }: { readonly title: string; readonly text: string; readonly isWaiting: boolean }) {
  return (
    <div class={isWaiting ? "state wait" : "state note"}>
      {isWaiting ? <WaitIcon /> : <InfoIcon />}
      <p>
        <strong>{title}</strong>
        <span>{text}</span>
      </p>
    </div>
  );
}

function Until({ page, share }: ShareProps) {
  const { sale: texts } = page.texts;
  if (share.expiresAtMs === null) return <p>{texts.always}</p>;
  return (
    <p>
      {texts.until} <LocalTime timeMs={share.expiresAtMs} page={page} />.
    </p>
  );
}
