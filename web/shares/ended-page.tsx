/** @jsxImportSource preact */
import { BackLink } from "../site/back-link.tsx";
import { FileName } from "../site/file-name.tsx";
import { ClockIcon, UsedUpIcon } from "../site/icons.tsx";
import { renderDocument } from "../site/layout.tsx";
import type { PageContext } from "../site/page-context.ts";
import { describeFilesLeft, EndedActions } from "./ended-actions.tsx";
import { downloadsPath, ENDED_SHARES_PATH } from "./paths.ts";
import { type OwnShare, toShareName } from "./share-row.ts";

/** Renders the page of a link whose share has ended, for its owner: why, whether the files still exist, and what can be done. */
export function renderEndedPage(
  page: PageContext,
  { share, kind }: { readonly share: OwnShare; readonly kind: "expired" | "usedUp" },
): string {
  const { shares, messages } = page.texts;
  const { title } = messages.kinds[kind];
  const text = kind === "usedUp" ? messages.ownUsedUp : messages.kinds.expired.text;
  return renderDocument(page, {
    title,
    styles: ["dashboard"],
    scripts: ["page", "shares"],
    main: { "data-state": kind, "data-say": `${title}. ${text}` },
    children: (
      <section class="card message ended-share">
        <BackLink path={ENDED_SHARES_PATH} text={shares.title} />
        <span class="badge note">{kind === "usedUp" ? <UsedUpIcon /> : <ClockIcon />}</span>
        <h1>{title}</h1>
        <p class="name">
          <FileName name={toShareName(share, page.texts)} />
        </p>
        <p data-message="">{text}</p>
        <p class="quiet">
          {shares.ownLink} {describeFilesLeft(page, share)}
        </p>
        <EndedActions page={page} share={share} />
        {share.downloads === 0 ? null : (
          <p>
            <a href={downloadsPath(share.shortId)}>{shares.downloadsTitle}</a>
          </p>
        )}
      </section>
    ),
    aside: <div id="toasts" />,
  });
}
