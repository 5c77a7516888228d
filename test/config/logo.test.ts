import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, test } from "node:test";
import { toLogo } from "../../src/config/logo.ts";
import { pngOf } from "../support/formats/images.ts";

const ROOT = resolve(import.meta.dirname, "../..");
const XMLNS = 'xmlns="http://www.w3.org/2000/svg"';
const WEBP = readFileSync(join(ROOT, "docs/images/front-page.webp"));
const MAX_BYTES = 256 * 1024;

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);

const typeOf = (bytes: Uint8Array): string => {
  const logo = toLogo(bytes);
  return "problem" in logo ? logo.problem : logo.type;
};

/** An SVG of exactly this size. */
const svgOf = (size: number): Uint8Array =>
  bytesOf(`<svg ${XMLNS}><!--${"x".repeat(size - `<svg ${XMLNS}><!----></svg>`.length)}--></svg>`);

/** configuration, "Settings in the database". */
describe("the logo", () => {
  test("is an SVG, a PNG or a WebP image by its content", () => {
    const cases: readonly (readonly [what: string, bytes: Uint8Array, type: string])[] = [
      ["PNG", pngOf(3, 2), "image/png"],
      ["WebP", WEBP, "image/webp"],
      ["SVG", bytesOf(`<svg ${XMLNS}><path d="M0 0h1v1z"/></svg>`), "image/svg+xml"],
      ["an empty SVG", bytesOf(`<svg ${XMLNS} />\n`), "image/svg+xml"],
      ["an SVG of this project", readFileSync(join(ROOT, "web/site/icons/icon.svg")), "image/svg+xml"],
      [
        "an SVG after a prolog",
        bytesOf(
          `\ufeff<?xml version="1.0" encoding="utf-8"?>\n<!-- Made <svg> by > hand -->\n<!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "http://www.w3.org/Graphics/SVG/1.1/DTD/svg11.dtd" [\n<!ENTITY ns_svg "http://www.w3.org/2000/svg">\n]>\n<svg xmlns="&ns_svg;"></svg >`,
        ),
        "image/svg+xml",
      ],
      ["an SVG with a prefix", bytesOf(`<svg:svg xmlns:svg="http://www.w3.org/2000/svg"></svg:svg>`), "image/svg+xml"],
      ["the largest SVG", svgOf(MAX_BYTES), "image/svg+xml"],
    ];
    for (const [what, bytes, type] of cases) assert.equal(typeOf(bytes), type, what);
  });

  test("is refused if it is empty, too large, damaged or something else", () => {
    const png = pngOf(30, 20);
    const cases: readonly (readonly [what: string, bytes: Uint8Array, problem: string])[] = [
      ["nothing", new Uint8Array(), "empty"],
      ["too large", svgOf(MAX_BYTES + 1), "tooLarge"],
      ["a GIF", bytesOf("GIF89a"), "unknown"],
      ["a page", bytesOf(`<!DOCTYPE html><html><svg ${XMLNS}></svg></html>`), "unknown"],
      ["a script", bytesOf(`alert("<svg ${XMLNS}></svg>")`), "unknown"],
      ["an SVG without a namespace", bytesOf("<svg></svg>"), "unknown"],
      ["another root", bytesOf(`<svgs ${XMLNS}></svgs>`), "unknown"],
      ["half an SVG", bytesOf(`<svg ${XMLNS}><path d="M0 0"/>`), "unknown"],
      ["a comment without end", bytesOf(`<!-- <svg ${XMLNS}></svg>`), "unknown"],
      ["many declarations", bytesOf("<?x?>".repeat(50_000)), "unknown"],
      ["half a PNG", png.subarray(0, png.length / 2), "unknown"],
      ["a PNG without its end", png.subarray(0, -12), "unknown"],
      ["the signature of a PNG", png.subarray(0, 8), "unknown"],
      ["a PNG without pixels", pngOf(1, 1, { width: 0, height: 1 }), "unknown"],
      ["half a WebP", WEBP.subarray(0, WEBP.length / 2), "unknown"],
    ];
    for (const [what, bytes, problem] of cases) assert.equal(typeOf(bytes), problem, what);
  });

  test("has a name that changes with its content", () => {
    const [first, second, again] = [pngOf(3, 2), pngOf(4, 2), pngOf(3, 2)].map((bytes) => {
      const logo = toLogo(bytes);
      return "problem" in logo ? logo.problem : logo.name;
    });
    assert.match(first ?? "", /^logo-[0-9a-f]{16}\.png$/);
    assert.notEqual(first, second);
    assert.equal(first, again);
  });
});
