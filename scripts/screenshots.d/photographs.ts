import type { Browser } from "playwright-core";
import { openPage } from "../../test/support/browser/browser.ts";

/** What differs between two photographs of a coast: the light, the height of the sun, and where mountains and a boat are. */
export interface Scene {
  readonly sky: readonly [top: string, bottom: string];
  readonly sea: readonly [top: string, bottom: string];
  readonly sun: { readonly x: number; readonly y: number; readonly radius: number; readonly color: string };
  readonly mountains: string;
  readonly boat: { readonly x: number; readonly y: number; readonly size: number };
}

export const HARBOUR_AT_DAWN: Scene = {
  sky: ["#355c7d", "#e8a87c"],
  sea: ["#c38d9e", "#1f3b57"],
  sun: { x: 2050, y: 1230, radius: 190, color: "#ffe9c7" },
  mountains: "M0 1310 420 1120 760 1230 1200 1040 1650 1310Z",
  boat: { x: 900, y: 1520, size: 1 },
};

/** A trip of six photographs, with the names of their files. */
export const TRIP: Readonly<Record<string, Scene>> = {
  "Arrival.jpg": HARBOUR_AT_DAWN,
  "Bay at noon.jpg": {
    sky: ["#2f80c3", "#bfe3f2"],
    sea: ["#2fa4b5", "#0f5a78"],
    sun: { x: 620, y: 420, radius: 150, color: "#fffbe6" },
    mountains: "M1500 1310 1900 900 2200 1120 2600 760 3000 1310Z",
    boat: { x: 1100, y: 1600, size: 1.3 },
  },
  "Cliffs.jpg": {
    sky: ["#7a9cc6", "#f3e9dc"],
    sea: ["#5d93a6", "#214e63"],
    sun: { x: 1500, y: 700, radius: 120, color: "#fff6df" },
    mountains: "M0 1310 0 600 380 560 700 900 980 860 1300 1310Z",
    boat: { x: 2100, y: 1480, size: 0.7 },
  },
  "Evening.jpg": {
    sky: ["#41295a", "#f08a5d"],
    sea: ["#b85c6e", "#2b1b3d"],
    sun: { x: 1500, y: 1280, radius: 240, color: "#ffd29a" },
    mountains: "M1900 1310 2300 1130 2650 1220 3000 1080 3000 1310Z",
    boat: { x: 500, y: 1560, size: 1.1 },
  },
  "Fog.jpg": {
    sky: ["#c9d3d8", "#eef1f0"],
    sea: ["#b9c6c9", "#71868c"],
    sun: { x: 2300, y: 600, radius: 130, color: "#fdfdf8" },
    mountains: "M400 1310 900 1090 1500 1200 2100 1010 2700 1310Z",
    boat: { x: 1500, y: 1500, size: 0.9 },
  },
  "Night.jpg": {
    sky: ["#0b1026", "#2c3e66"],
    sea: ["#23355a", "#070d1e"],
    sun: { x: 2350, y: 430, radius: 110, color: "#f4f1de" },
    mountains: "M0 1310 500 980 900 1180 1400 870 2000 1310Z",
    boat: { x: 1700, y: 1540, size: 1 },
  },
};

/** Takes a substitute for a photograph of some megabytes, 3,000 by 2,000 pixels with the grain of a film, the same in each run. */
export async function takePhotograph(browser: Browser, scene: Scene): Promise<Uint8Array<ArrayBuffer>> {
  await using opened = await openPage(browser, { viewport: { width: 3000, height: 2000 } });
  await opened.page.setContent(draw(scene));
  return new Uint8Array(await opened.page.screenshot({ type: "jpeg", quality: 98 }));
}

const draw = ({ sky, sea, sun, mountains, boat }: Scene): string => `<body style="margin: 0"><svg width="3000" height="2000">
  <defs>
    <linearGradient id="sky" x2="0" y2="1"><stop offset="0" stop-color="${sky[0]}" /><stop offset="0.6" stop-color="${sky[1]}" /></linearGradient>
    <linearGradient id="sea" x2="0" y2="1"><stop offset="0" stop-color="${sea[0]}" /><stop offset="1" stop-color="${sea[1]}" /></linearGradient>
    <filter id="grain"><feTurbulence type="fractalNoise" baseFrequency="0.8" seed="7" /></filter>
  </defs>
  <rect width="100%" height="1300" fill="url(#sky)" />
  <circle cx="${sun.x}" cy="${sun.y}" r="${sun.radius}" fill="${sun.color}" />
  <rect y="1300" width="100%" height="700" fill="url(#sea)" />
  <path d="${mountains}" fill="#22344a" />
  <path transform="translate(${boat.x} ${boat.y}) scale(${boat.size})" d="M0 0h420l-70 90H60Zm190 0v-330l170 300Z" fill="#16222f" />
  <rect width="100%" height="100%" filter="url(#grain)" opacity="0.25" />
</svg></body>`;
