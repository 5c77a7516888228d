/** @jsxImportSource preact */
/** Lists the shares that this device sent without an account, on the settings' page that claims files. */
import { render } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { usage as texts } from "#texts/settings";
import { claim as claimTexts } from "#texts/site";
import { sumBytes } from "../../sending/browser/chosen-files.ts";
import { claimShare, listClaimable, nameOfShare } from "../../sending/browser/claim/claim.ts";
import { announce } from "../../site/browser/components/announce.ts";
import { date, language, size } from "../../site/browser/components/format.ts";
import { type SentShare, toPage } from "../../site/browser/device/shares.ts";
import { FileName } from "../../site/file-name.tsx";
import { counted } from "../../site/format.ts";

/** Shows the list. If there is nothing to list, it says so, and opens the form below. */
export async function showDeviceShares(place: HTMLElement): Promise<void> {
  const shares = await listClaimable({ isDeclinedToo: true }).catch(() => []);
  if (shares.length > 0) return render(<DeviceShares shares={shares} />, place);
  render(<p class="quiet">{texts.nothingOnDevice}</p>, place);
  place.nextElementSibling?.querySelector("details")?.setAttribute("open", "");
}

function DeviceShares({ shares }: { readonly shares: readonly SentShare[] }) {
  return (
    <section class="card panel" aria-labelledby="device-shares-title">
      <div class="heading">
        <h2 id="device-shares-title">{texts.onDevice}</h2>
        <p class="quiet">{texts.claimText}</p>
      </div>
      <ul class="items">
        {shares.map((share) => (
          <DeviceShare key={share.shortId} share={share} />
        ))}
      </ul>
    </section>
  );
}

type Step = "offered" | "moving" | "moved";

function DeviceShare({ share }: { readonly share: SentShare }) {
  const [step, setStep] = useState<Step>("offered");
  const [problem, setProblem] = useState<string>();
  const link = useRef<HTMLAnchorElement>(null);
  useEffect(() => {
    if (step === "moved") link.current?.focus({ preventScroll: true });
  }, [step]);
  const name = nameOfShare(share);
  const move = async (): Promise<void> => {
    setStep("moving");
    const refusal = await claimShare(share);
    setProblem(refusal);
    setStep(refusal === undefined ? "moved" : "offered");
    announce(refusal ?? claimTexts.claimed(1));
  };
  const facts = [counted(share.files.length, language, ...texts.fileCount), size(sumBytes(share.files)), date(toTime(share.createdAtMs))];
  return (
    <li class="item">
      <div class="item-head">
        <p class="item-name">
          <FileName name={name} />
        </p>
        <p class="quiet">{facts.join(" · ")}</p>
        {problem === undefined ? null : <p class="field-error">{problem}</p>}
      </div>
      {step === "moved" ? (
        <a ref={link} class="button small" href={toPage(share)}>
          {texts.show}
        </a>
      ) : (
        <button class="button small" type="button" disabled={step === "moving"} onClick={() => void move()}>
          {step === "moving" ? claimTexts.claiming : texts.move}
          <span class="unseen">: {name}</span>
        </button>
      )}
    </li>
  );
}

const toTime = (timeMs: number): string => new Date(timeMs).toISOString();
