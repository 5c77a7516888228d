import assert from "node:assert/strict";
import { test } from "node:test";
import { accentStyle } from "../../web/site/accent.ts";
import { contrast } from "./contrast.ts";

/** Backgrounds of `style.css`: page and surface of the light scheme, then of the dark one. */
const LIGHT = ["#f5f4f0", "#ffffff"];
const DARK = ["#121514", "#1b1f1e"];

/** pages, "Branding". */
test("every accent has enough contrast in both schemes, for links and for buttons", () => {
  for (const color of ["#0b6b5d", "#000000", "#ffffff", "#ffff00", "#ff0000", "#0000ff", "#7f7f7f", "#00ff88", "#123456"]) {
    const [light = [], dark = []] = accentStyle(color).split("@media").map(readColors);
    for (const [[accent = "", hover = "", text = ""], backgrounds] of [
      [light, LIGHT],
      [dark, DARK],
    ] as const) {
      for (const [front, back] of [
        ...backgrounds.flatMap((back) => [
          [accent, back],
          [hover, back],
        ]),
        [text, accent],
        [text, hover],
      ]) {
        assert.ok(contrast(front ?? "", back ?? "") >= 4.5, `${color}: ${front} on ${back}`);
      }
    }
  }
});

test("a color with enough contrast is not changed", () => {
  assert.match(accentStyle("#0b6b5d"), /^:root\{--accent:#0b6b5d;/);
});

const readColors = (rule: string): string[] => [...rule.matchAll(/#[0-9a-f]{6}/g)].map(([color]) => color);
