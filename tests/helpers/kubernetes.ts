/** Kubernetes' own types of its objects, for what is checked against them. */
export type { Deployment } from "npm:kubernetes-types@1.30.0/apps/v1.d.ts";
export type { Secret } from "npm:kubernetes-types@1.30.0/core/v1.d.ts";
