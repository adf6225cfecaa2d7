/** PromQL as Prometheus's own grammar for editors reads it. */
import { parser } from "@prometheus-io/lezer-promql";

/** What cannot be read of an expression, each with what stands before it; empty where it is one. */
export function promqlProblems(expression: string): readonly string[] {
  const problems: string[] = [];
  parser.parse(expression).iterate({
    enter({ type, from }) {
      if (type.isError) problems.push(`after ${JSON.stringify(expression.slice(0, from))}`);
    },
  });
  return problems;
}
