type Color = readonly [red: number, green: number, blue: number];

/** The contrast of WCAG 2.2, 1.4.3, with a margin for rounding. */
const MIN_CONTRAST = 4.6;
const BLACK: Color = [0, 0, 0];
const WHITE: Color = [255, 255, 255];
/** The backgrounds of `--page` and `--surface` in `style.css` with the least contrast. */
const LIGHT_BACKGROUND: Color = [0xf5, 0xf4, 0xf0];
const DARK_BACKGROUND: Color = [0x1b, 0x1f, 0x1e];
const STEP = 0.02;

/** A color, adjusted for the pages of a scheme. */
export interface Shade {
  /** The color in the form `#rrggbb`, like all colors here. */
  readonly color: string;
  /** The color of text on `color`. */
  readonly text: string;
  readonly background: string;
  readonly contrast: number;
  /** The contrast of the chosen color with the background. */
  readonly ownContrast: number;
}

/** Adjusts a color for the pages of both schemes: darkens or lightens it until it has enough contrast with the background (pages, "Branding"). */
export function accentShades(chosen: string): { readonly light: Shade; readonly dark: Shade } {
  const color = parse(chosen);
  return {
    light: toShade(color, { other: BLACK, background: LIGHT_BACKGROUND, text: "#ffffff" }),
    dark: toShade(color, { other: WHITE, background: DARK_BACKGROUND, text: "#0d1110" }),
  };
}

function toShade(
  chosen: Color,
  { other, background, text }: { readonly other: Color; readonly background: Color; readonly text: string },
): Shade {
  const color = mixUntilReadable(chosen, other, background);
  return {
    color: format(color),
    text,
    background: format(background),
    contrast: contrast(color, background),
    ownContrast: contrast(chosen, background),
  };
}

/** Returns a style sheet that replaces the accent with a color such as `#0b6b5d`. */
export function accentStyle(chosen: string): string {
  const { light, dark } = accentShades(chosen);
  const lightRule = toRule({ ...light, hover: mix(parse(light.color), BLACK, 0.22) });
  const darkRule = toRule({ ...dark, hover: mix(parse(dark.color), WHITE, 0.3) });
  return `${lightRule}@media(prefers-color-scheme:dark){${darkRule}}`;
}

const toRule = ({ color, text, hover }: Pick<Shade, "color" | "text"> & { readonly hover: Color }): string =>
  `:root{--accent:${color};--accent-hover:${format(hover)};--on-accent:${text}}`;

function mixUntilReadable(color: Color, other: Color, background: Color): Color {
  for (let share = 0; share < 1; share += STEP) {
    const mixed = mix(color, other, share);
    if (contrast(mixed, background) >= MIN_CONTRAST) return mixed;
  }
  return other;
}

const mix = (one: Color, other: Color, share: number): Color =>
  [0, 1, 2].map((at) => mixChannel(one, other, share, at)) as unknown as Color;

const mixChannel = (one: Color, other: Color, share: number, at: number): number =>
  Math.round((one[at] ?? 0) * (1 - share) + (other[at] ?? 0) * share);

const parse = (color: string): Color => [1, 3, 5].map((at) => Number.parseInt(color.slice(at, at + 2), 16)) as unknown as Color;

const format = (color: Color): string => `#${color.map((channel) => channel.toString(16).padStart(2, "0")).join("")}`;

function contrast(one: Color, other: Color): number {
  const [light = 0, dark = 0] = [luminance(one), luminance(other)].toSorted((a, b) => b - a);
  return (light + 0.05) / (dark + 0.05);
}

function luminance(color: Color): number {
  const [red = 0, green = 0, blue = 0] = color.map((channel) => {
    const value = channel / 255;
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}
