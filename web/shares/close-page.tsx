/** @jsxImportSource preact */
import type { LinkedRecipients } from "../../src/service/shares/contract.ts";
import { FileName } from "../site/file-name.tsx";
import { renderDocument } from "../site/layout.tsx";
import type { PageContext } from "../site/page-context.ts";
import { closePath, SHARES_PATH } from "./paths.ts";

export interface ClosePageProps {
  readonly shortId: string;
  readonly name: string;
  /** The number of other links that keep files of the share. */
  readonly otherLinks: number;
  /** Who has private links of the share. */
  readonly recipients: LinkedRecipients | undefined;
}

/** Renders the question before a share is closed, for browsers without JavaScript. */
export function renderClosePage(page: PageContext, { shortId, name, otherLinks, recipients }: ClosePageProps): string {
  const { shares } = page.texts;
  return renderDocument(page, {
    title: shares.closeTitle,
    styles: ["dashboard"],
    main: { "data-state": "share-close" },
    children: (
      <section class="card">
        <h1>{shares.closeTitle}</h1>
        <p class="name">
          <FileName name={name} />
        </p>
        <p>{shares.closeText}</p>
        {recipients === undefined ? null : <p>{shares.theirLinksEnd(shares.recipients(recipients.address, recipients.others))}</p>}
        {otherLinks > 0 ? <p>{shares.linksStay(otherLinks)}</p> : null}
        <form class="choices" method="post" action={closePath(shortId)}>
          <button class="button danger" type="submit">
            {shares.closeNow}
          </button>
          <a class="button plain" href={SHARES_PATH}>
            {shares.keep}
          </a>
        </form>
      </section>
    ),
  });
}
