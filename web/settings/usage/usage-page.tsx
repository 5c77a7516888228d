/** @jsxImportSource preact */
import { formatSize } from "../../../src/lib/text/format-size.ts";
import type { Output } from "../../../src/service/contract.ts";
import { formatDate, formatDuration } from "../../site/format.ts";
import { Problem } from "../../site/outcome.tsx";
import type { PageContext } from "../../site/page-context.ts";
import { Panel } from "../../site/panel.tsx";
import { renderSettings } from "../settings-layout.tsx";
import { ProPanel, type ProView } from "./pro-panel.tsx";

/** The account's usage from `GET /me`, and the ways to get Pro. */
export interface UsagePageProps extends Pick<Output<"getMe">, "tier" | "proUntil" | "storage" | "limits"> {
  /** Whether files stay while the account has its tier. */
  readonly isKept: boolean;
  readonly pro: ProView;
  /** The state of the payment after the return from Stripe. */
  readonly payment?: "received" | "waiting" | undefined;
  readonly problem?: string | undefined;
}

const REFRESH_SECONDS = 5;

/** Renders the usage of the account and its limits. */
export function renderUsagePage(page: PageContext, props: UsagePageProps): string {
  const { tier, proUntil, storage, limits, isKept, pro, payment, problem } = props;
  const { language } = page;
  const { usage: texts } = page.texts;
  const size = (bytes: number) => formatSize(bytes, language);
  const number = (value: number) => value.toLocaleString(language);
  const facts = [
    [texts.tier, tier === "pro" && proUntil !== null ? texts.proUntil(formatDate(Date.parse(proUntil), page)) : texts.tiers[tier]],
    [texts.fileSize, size(limits.fileBytes)],
    [texts.longest, isKept ? texts.isKept : formatDuration(limits.maxTtlSeconds * 1000, language)],
    [texts.requests, number(limits.requestsPerMinute)],
  ];
  return renderSettings(page, {
    section: "usage",
    intro: texts.intro,
    done: payment === "received" ? page.texts.pro.paid : undefined,
    refreshSeconds: payment === "waiting" ? REFRESH_SECONDS : undefined,
    children: (
      <>
        {problem === undefined ? null : <Problem>{problem}</Problem>}
        <ProPanel page={page} pro={pro} hasPro={tier === "pro"} hasEnd={proUntil !== null} isWaiting={payment === "waiting"} />
        <section class="card panel">
          <Bar
            label={texts.storage}
            value={storage.usedBytes}
            max={storage.allowedBytes}
            text={texts.storageText(size(storage.usedBytes), size(storage.allowedBytes))}
          />
          {storage.reservedBytes === 0 ? null : <p class="quiet">{texts.reserved(size(storage.reservedBytes))}</p>}
          {storage.isPastIncluded ? <p>{texts.pastIncluded(size(storage.includedBytes))}</p> : null}
          {storage.isShared ? <p class="quiet">{texts.shared}</p> : null}
          <CountBar page={page} label={texts.files} max={limits.files} left={limits.filesLeft} />
          <CountBar page={page} label={texts.openUploads} max={limits.openUploads} left={limits.openUploadsLeft} />
          {limits.importsPerHour === null || limits.importsLeft === null ? null : (
            <CountBar page={page} label={texts.imports} max={limits.importsPerHour} left={limits.importsLeft} />
          )}
        </section>
        <Panel title={texts.limits}>
          <dl class="facts">
            {facts.map(([name, value]) => (
              <div key={name}>
                <dt>{name}</dt>
                <dd>{value}</dd>
              </div>
            ))}
          </dl>
        </Panel>
      </>
    ),
  });
}

interface CountBarProps {
  readonly page: PageContext;
  readonly label: string;
  readonly max: number;
  readonly left: number;
}

function CountBar({ page: { language, texts }, label, max, left }: CountBarProps) {
  const used = max - left;
  return (
    <Bar label={label} value={used} max={max} text={texts.usage.filesText(used.toLocaleString(language), max.toLocaleString(language))} />
  );
}

interface BarProps {
  readonly label: string;
  readonly value: number;
  readonly max: number;
  /** The value of the bar, in words. */
  readonly text: string;
}

/** Renders a bar of the used part of a limit. A bar that is nearly full is red. */
function Bar({ label, value, max, text }: BarProps) {
  return (
    <div class="usage">
      <p class="usage-label">
        <strong>{label}</strong> <span>{text}</span>
      </p>
      <progress class={value >= 0.9 * max ? "nearly" : undefined} value={Math.min(value, max)} max={Math.max(1, max)} aria-label={label} />
    </div>
  );
}
