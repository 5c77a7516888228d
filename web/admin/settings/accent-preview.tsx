/** @jsxImportSource preact */
import { accentShades, type Shade } from "../../site/accent.ts";
import type { PageContext } from "../../site/page-context.ts";

const MIN_CONTRAST = 4.5;

/** Renders a color as pages of both schemes show it, and explains an adjustment for readability. It is drawn, because pages have no inline styles. */
export function AccentPreview({ page, accent, name }: { readonly page: PageContext; readonly accent: string; readonly name: string }) {
  const { siteSettings: texts } = page.texts;
  const { light, dark } = accentShades(accent);
  return (
    <div class="accent-preview">
      <Scheme page={page} title={texts.light} shade={light} surface="#ffffff" ink="#1d1f1e" name={name} />
      <Scheme page={page} title={texts.dark} shade={dark} surface="#1b1f1e" ink="#eceeec" name={name} />
    </div>
  );
}

interface SchemeProps {
  readonly page: PageContext;
  readonly title: string;
  readonly shade: Shade;
  readonly surface: string;
  readonly ink: string;
  readonly name: string;
}

function Scheme({ page: { texts, language }, title, shade, surface, ink, name }: SchemeProps) {
  const { siteSettings } = texts;
  const ratio = (value: number): string =>
    (Math.floor(value * 10) / 10).toLocaleString(language, { minimumFractionDigits: 1, maximumFractionDigits: 1 });
  const isAdjusted = shade.ownContrast < MIN_CONTRAST;
  return (
    <figure>
      <svg viewBox="0 0 240 120" role="img" aria-label={`${title}: ${shade.color}`}>
        <rect width="240" height="120" rx="12" fill={shade.background} />
        <text x="16" y="28" font-size="13" font-weight="700" fill={ink}>
          {name}
        </text>
        <rect x="12" y="40" width="216" height="68" rx="10" fill={surface} />
        <rect x="24" y="56" width="92" height="36" rx="10" fill={shade.color} />
        <text x="70" y="79" font-size="13" font-weight="600" text-anchor="middle" fill={shade.text}>
          {texts.layout.send}
        </text>
        <text x="132" y="79" font-size="13" text-decoration="underline" fill={shade.color}>
          {texts.shares.title}
        </text>
      </svg>
      <figcaption class="quiet">
        <strong>{title}</strong> · {shade.color} · {siteSettings.contrast(ratio(shade.contrast))}
        <span class="block">{isAdjusted ? siteSettings.darkened(ratio(shade.ownContrast), shade.color) : siteSettings.enough}</span>
      </figcaption>
    </figure>
  );
}
