import type { Output } from "../../../src/service/contract.ts";

export type OverviewView = Output<"getOverview">;

export type CheckResultView = Output<"checkInstallation">["results"][number];
