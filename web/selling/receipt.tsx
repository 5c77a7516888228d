/** @jsxImportSource preact */

import { SELLING_PATH } from "../settings/paths.ts";
import { LocalTime, type ShareProps } from "../share/share-components.tsx";
import { Copyable } from "../site/copyable.tsx";
import { formatDollars } from "../site/format.ts";
import { TickIcon } from "../site/icons.tsx";

/** Renders the price on the page of a share: for a buyer, the payment and the link to return; for the owner, the price for others. */
export function Receipt({ page, share: { sale } }: ShareProps) {
  const { sale: texts } = page.texts;
  if (sale === undefined || sale.kind === "offer") return null;
  const price = formatDollars(sale.priceCents, page.language);
  if (sale.kind === "own")
    return (
      <p class="quiet">
        {texts.own(price)} {page.site.hasSelling ? <a href={SELLING_PATH}>{texts.ownLink}</a> : null}
      </p>
    );
  return (
    <section class="download receipt">
      <p class="state-line good">
        <TickIcon />
        <span>
          {texts.bought(price)} <LocalTime timeMs={sale.paidAtMs} page={page} />.{" "}
          {sale.isLimited ? (sale.isUsed ? texts.used : texts.oneOfEach) : null}
        </span>
      </p>
      <h2 class="quiet">{texts.keep}</h2>
      <Copyable page={page} id="purchase-link" label={texts.keepLabel} text={sale.link} />
      <p class="quiet">{texts.keepText}</p>
    </section>
  );
}
