/** @jsxImportSource preact */
import { formatSize } from "../../src/lib/text/format-size.ts";
import type { Output } from "../../src/service/contract.ts";
import { PROFILE_PATH } from "../settings/paths.ts";
import { SHARES_PATH } from "../shares/paths.ts";
import { RowImage } from "../shares/share-item.tsx";
import { type RowThumbnail, toShareName } from "../shares/share-row.ts";
import { EmptyState } from "../site/empty-state.tsx";
import { FileName } from "../site/file-name.tsx";
import { describeType } from "../site/file-types.ts";
import { counted, formatDate, formatRelative, initialOf, visibleText } from "../site/format.ts";
import { FolderIcon } from "../site/icons.tsx";
import { renderDocument } from "../site/layout.tsx";
import type { PageContext } from "../site/page-context.ts";
import { publicPagePath } from "./paths.ts";

export type PublicShare = Pick<
  Output<"listPublicShares">["data"]["shares"][number],
  "shortId" | "sharePath" | "title" | "name" | "contentType" | "encrypted" | "files" | "size" | "expiresAt"
>;

export interface PublicPageProps {
  readonly username: string;
  /** The name that the account shows to recipients; null without one. */
  readonly name: string | null;
  readonly shares: readonly PublicShare[];
  /** The thumbnails of shares, by short ID. */
  readonly thumbnails: ReadonlyMap<string, RowThumbnail>;
  readonly nowMs: number;
  /** The URL of the site without a trailing slash. */
  readonly siteUrl: string;
  readonly nextCursor: string | null;
  readonly isLaterPage: boolean;
  /** Whether the page belongs to the signed-in account. */
  readonly isOwn: boolean;
}

/** Renders the public shares of an account. */
export function renderPublicPage(page: PageContext, props: PublicPageProps): string {
  const { username, name, shares, thumbnails, siteUrl, nextCursor, isLaterPage, isOwn } = props;
  const { publicPage } = page.texts;
  const path = publicPagePath(username);
  const owner = visibleText(name ?? "").trim() || username;
  const count = nextCursor === null && !isLaterPage ? [counted(shares.length, page.language, publicPage.share, publicPage.shareMany)] : [];
  const facts = [...(owner === username ? [] : [username]), ...count];
  const pictured = shares.find(({ shortId }) => thumbnails.has(shortId));
  return renderDocument(page, {
    title: publicPage.title(owner),
    description: publicPage.description(owner),
    ...(pictured && { cardImage: `${siteUrl}${pictured.sharePath}/card.webp` }),
    width: "wide",
    styles: ["dashboard"],
    main: { "data-state": "public-page" },
    children: (
      <>
        <header class="public-owner">
          <span class="public-avatar" aria-hidden="true">
            {initialOf(owner)}
          </span>
          <div>
            <h1>
              <bdi>{owner}</bdi>
            </h1>
            {facts.length === 0 ? null : <p class="quiet">{facts.join(" · ")}</p>}
          </div>
        </header>
        {isOwn ? (
          <p class="public-own quiet">
            {publicPage.own} <a href={SHARES_PATH}>{publicPage.manage}</a> <a href={PROFILE_PATH}>{publicPage.profile}</a>
          </p>
        ) : null}
        {shares.length === 0 ? (
          <EmptyState icon={<FolderIcon />} title={isLaterPage ? publicPage.noMore : publicPage.empty} />
        ) : (
          <ul class="public-shares">
            {shares.map((share) => (
              <PublicTile key={share.shortId} page={page} share={share} thumbnail={thumbnails.get(share.shortId)} nowMs={props.nowMs} />
            ))}
          </ul>
        )}
        {nextCursor === null && !isLaterPage ? null : (
          <nav class="choices shares-pages" aria-label={page.texts.shares.pages}>
            {isLaterPage ? (
              <a class="button small" href={path}>
                {page.texts.shares.firstPage}
              </a>
            ) : null}
            {nextCursor === null ? null : (
              <a class="button small" href={`${path}?cursor=${nextCursor}`} rel="next">
                {page.texts.shares.nextPage}
              </a>
            )}
          </nav>
        )}
      </>
    ),
  });
}

interface TileProps {
  readonly page: PageContext;
  readonly share: PublicShare;
  readonly thumbnail: RowThumbnail | undefined;
  readonly nowMs: number;
}

function PublicTile({ page, share, thumbnail, nowMs }: TileProps) {
  const { texts, language } = page;
  const kind =
    share.files > 1 ? counted(share.files, language, texts.shares.file, texts.shares.fileMany) : describeType(texts.types, share);
  const expiresAtMs = share.expiresAt === null ? undefined : Date.parse(share.expiresAt);
  const title = toShareName(share, texts);
  return (
    <li>
      <RowImage name={share.name} title={title} files={share.files} thumbnail={thumbnail} />
      <p class="name">
        <a href={share.sharePath}>
          <FileName name={title} />
        </a>
      </p>
      <p class="quiet">{[kind, formatSize(share.size, language)].join(" · ")}</p>
      {expiresAtMs === undefined ? null : (
        <p class="quiet" title={formatDate(expiresAtMs, page)}>
          {texts.shares.expires(formatRelative(expiresAtMs, nowMs, language))}
        </p>
      )}
    </li>
  );
}
