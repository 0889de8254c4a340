/** `GET /metrics`: the numbers of the Controllers page in Prometheus' text format, for whoever may see that page. */
import type { Call } from "./call";
import { readControllers } from "./console/controllers";
import type { ControllerRow, ControllersAnswer } from "./contract";
import { commonHeaders } from "./respond";

/** https://prometheus.io/docs/instrumenting/exposition_formats/ */
const CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8";

interface Metric {
  name: string;
  help: string;
  samples: { labels?: Record<string, string>; value: number }[];
}

export async function metrics(call: Call): Promise<Response> {
  const answer = await readControllers(call);
  const text = [...fleet(answer), ...loops(answer.controllers, call.now)].map(written).join("");
  const body = call.request.method === "HEAD" ? null : text;
  return new Response(body, { headers: { ...commonHeaders(call), "content-type": CONTENT_TYPE } });
}

function fleet({ shards, workers, unowned }: ControllersAnswer): Metric[] {
  const alive = workers.filter((worker) => worker.alive).length;
  return [
    {
      name: "setpoint_shards",
      help: "Shards with a living worker, without one, and held but not looked at in time.",
      samples: Object.entries(shards).map(([state, value]) => ({ labels: { state }, value })),
    },
    { name: "setpoint_workers", help: "Living processes that run controllers.", samples: [{ value: alive }] },
    {
      name: "setpoint_unowned_resources",
      help: "Resources that no living worker looks at: all of them are stale. By host for those bound to one.",
      samples: unowned.map(({ host = "", resources }) => ({ labels: { host }, value: resources })),
    },
  ];
}

function loops(controllers: ControllerRow[], now: number): Metric[] {
  const perKind = (name: string, help: string, of: (row: ControllerRow) => number | undefined): Metric => ({
    name,
    help,
    samples: controllers.flatMap((row) => {
      const value = of(row);
      return value === undefined ? [] : [{ labels: { kind: row.kind }, value }];
    }),
  });
  return [
    perKind("setpoint_resources", "Resources stored.", (row) => row.resources),
    perKind("setpoint_queue_depth", "Keys ready and not running.", (row) => row.queueDepth),
    perKind("setpoint_in_flight", "Passes running.", (row) => row.inFlight),
    perKind("setpoint_retrying", "Keys waiting for a retry.", (row) => row.retrying),
    perKind("setpoint_backlog_age_seconds", "How long the oldest ready key has waited.", (row) => row.backlogAgeMs / 1_000),
    perKind("setpoint_oldest_look_age_seconds", "Age of the oldest look at what claims to be converged.", ({ oldestLook }) =>
      oldestLook === null ? undefined : Math.max(0, (now - Date.parse(oldestLook)) / 1_000),
    ),
  ];
}

function written({ name, help, samples }: Metric): string {
  const lines = samples.map(({ labels = {}, value }) => `${name}${labelText(labels)} ${value}\n`);
  return `# HELP ${name} ${help}\n# TYPE ${name} gauge\n${lines.join("")}`;
}

function labelText(labels: Record<string, string>): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${value.replace(/[\\"]/g, "\\$&").replaceAll("\n", "\\n")}"`);
  return pairs.length === 0 ? "" : `{${pairs.join(",")}}`;
}
