/** @jsxImportSource preact */

import { formatSize } from "../../src/lib/text/format-size.ts";
import { pathInShare } from "../../src/lib/text/relative-path.ts";
import { Copyable } from "../site/copyable.tsx";
import { describeType } from "../site/file-types.ts";
import { visibleText } from "../site/format.ts";
import { QrCode } from "../site/qr-code.tsx";
import { EncryptedDownload, Expiry, type ShareProps } from "./share-components.tsx";
import { isOneFile, mustWaitForSponsor } from "./share-page-props.ts";
import type { FileTotals } from "./share-totals.ts";

/** The largest shipment whose checksums are listed, in files. A longer list would be larger than the rest of the page. */
const MAX_CHECKSUMS = 200;

/** Renders facts for few recipients: exact expiry, checksum, terminal command, QR code, report. */
export function ShareFacts({ page, share, totals }: ShareProps & { readonly totals: FileTotals }) {
  const { texts, language } = page;
  const { sizeBytes } = totals;
  const [file] = share.files;
  const isLocked = share.access.kind === "locked";
  const isForSale = share.sale?.kind === "offer";
  return (
    <details id="details" class="details">
      <summary>{texts.share.details}</summary>
      <dl class="facts">
        {file !== undefined && isOneFile(share) ? (
          <div>
            <dt>{texts.share.type}</dt>
            <dd>{describeType(texts.types, file)}</dd>
          </div>
        ) : null}
        <div>
          <dt>{texts.share.size}</dt>
          <dd>{sizeBytes === null ? texts.share.unknownSize : formatSize(sizeBytes, language)}</dd>
        </div>
        <div>
          <dt>{texts.share.expiresLabel}</dt>
          <dd>
            <Expiry page={page} share={share} />
          </dd>
        </div>
      </dl>
      {isLocked || isForSale ? null : <Checksums page={page} share={share} />}
      {isLocked || totals.blocked === totals.count || !share.files.some(({ isEncrypted }) => isEncrypted) ? null : (
        <section data-stored="">
          <h2>{texts.share.asStored}</h2>
          <p class="quiet">{texts.share.asStoredHint}</p>
          <p>
            <EncryptedDownload class="link" page={page} share={share} ready={totals.ready} />
          </p>
        </section>
      )}
      {isLocked || share.sale !== undefined || mustWaitForSponsor(share) || share.files.length === 0 ? null : (
        <section>
          <h2>{texts.share.terminal}</h2>
          <Copyable page={page} id="terminal" label={texts.share.terminal} text={terminalCommand(share)} />
        </section>
      )}
      {isLocked ? null : (
        <section data-qr="">
          <h2>{texts.share.otherDevice}</h2>
          <QrCode text={share.shareUrl} label={texts.share.qrCode} />
        </section>
      )}
      <p>
        <a class="go" href={`/report/${encodeURIComponent(share.shortId)}`}>
          {share.files.length === 1 ? texts.share.report : texts.share.reportShipment}
        </a>
      </p>
    </details>
  );
}

/** Returns the command for a terminal. A shipment of several files is downloaded as a ZIP. */
function terminalCommand(share: ShareProps["share"]): string {
  const { access } = share;
  const header = access.kind !== "open" && access.isPassword ? "X-Password: PASSWORD" : "X-Unlock-Code: CODE";
  const code = access.kind === "open" ? "" : `-H '${header}' `;
  return `curl -fLOJ ${code}${share.shareUrl}/download`;
}

/** Renders the checksum of one file, or all in the format of `sha256sum -c`, which can be saved next to the unpacked ZIP. */
function Checksums({ page, share }: ShareProps) {
  const { share: texts } = page.texts;
  const known = share.files.filter(({ sha256 }) => sha256 !== null);
  if (known.length === 0 || known.length > MAX_CHECKSUMS) return null;
  const isOne = isOneFile(share);
  const lines = known.map((file) => ({ digest: `${file.sha256}  `, path: visibleText(pathInShare(file)) }));
  const text = isOne ? (known[0]?.sha256 ?? "") : lines.map(({ digest, path }) => digest + path).join("\n");
  return (
    <section>
      <h2>{isOne ? texts.checksum : texts.checksums}</h2>
      <p class="quiet">{isOne ? texts.checksumHint : texts.checksumsHint}</p>
      <Copyable page={page} id="sha256" label={isOne ? texts.checksum : texts.checksums} text={text}>
        {isOne
          ? undefined
          : lines.map(({ digest, path }, index) => (
              <span key={path} class="sum">
                <span>{digest}</span>
                <bdi>{path}</bdi>
                {index === lines.length - 1 ? "" : "\n"}
              </span>
            ))}
      </Copyable>
    </section>
  );
}
