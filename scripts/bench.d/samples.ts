import { CASES, type Row } from "./cases.ts";

/** `runtime`: the runtime's bare server. */
export type Side = "ours" | "peer" | "runtime";

export interface Reading {
  readonly case: string;
  readonly side: Side;
  /** The value, in the case's unit. */
  readonly value: number;
}

export interface Samples {
  add(reading: Reading): void;
  /** Records the peak memory of a case, of which the highest value is kept. */
  addPeak(caseName: string, rssMb: number): void;
  /** Returns one row per case with readings, in the order of `CASES`. */
  rows(): Row[];
}

/** Collects readings and computes medians. */
export function createSamples(): Samples {
  const values = new Map<string, number[]>();
  const peaks = new Map<string, number>();
  const keyOf = (caseName: string, side: Side) => `${caseName} ${side}`;
  const medianOf = (caseName: string, side: Side) => median(values.get(keyOf(caseName, side)) ?? []);

  return {
    add(reading) {
      const key = keyOf(reading.case, reading.side);
      values.set(key, [...(values.get(key) ?? []), reading.value]);
    },
    addPeak(caseName, rssMb) {
      peaks.set(caseName, Math.max(peaks.get(caseName) ?? 0, rssMb));
    },
    rows() {
      return CASES.flatMap((definition): Row[] => {
        const ours = medianOf(definition.name, "ours");
        if (ours === undefined) return [];
        const peer = medianOf(definition.name, "peer");
        const runtime = medianOf(definition.name, "runtime");
        const base = definition.against === undefined ? peer : medianOf(definition.against, "ours");
        return [
          {
            case: definition.name,
            ours: round(ours),
            peer: peer === undefined ? null : round(peer),
            ratio: base === undefined ? null : round(ours / base),
            runtime: runtime === undefined ? null : round(runtime),
            ofRuntime: runtime === undefined ? null : round(ours / runtime),
            unit: definition.unit,
            peakRssMb: peaks.has(definition.name) ? round(peaks.get(definition.name) ?? 0) : null,
          },
        ];
      });
    },
  };
}

/** Returns the median; undefined for no values. */
function median(values: readonly number[]): number | undefined {
  const sorted = values.toSorted((a, b) => a - b);
  const upper = sorted[Math.floor(sorted.length / 2)];
  const lower = sorted[Math.ceil(sorted.length / 2) - 1];
  return upper === undefined || lower === undefined ? undefined : (upper + lower) / 2;
}

function round(value: number): number {
  return Number(value.toPrecision(value < 10 ? 3 : 4));
}
