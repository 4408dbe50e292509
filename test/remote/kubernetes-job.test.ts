import { readFileSync } from "node:fs";
import type { Job } from "kubernetes-types/batch/v1.d.ts";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";

const page = readFileSync(new URL("../../docs/remote.md", import.meta.url), "utf8");

/** The manifest of the page, which the compiler holds against the types that are made from the schema of Kubernetes. */
const JOB: Job = {
  apiVersion: "batch/v1",
  kind: "Job",
  metadata: { name: "fix-issue-17" },
  spec: {
    backoffLimit: 0,
    activeDeadlineSeconds: 3600,
    ttlSecondsAfterFinished: 86_400,
    template: {
      spec: {
        restartPolicy: "Never",
        automountServiceAccountToken: false,
        containers: [
          {
            name: "tiller",
            image: "registry.example/tiller:1",
            workingDir: "/work",
            command: ["sh", "-ec"],
            args: [
              'git clone --depth 1 https://git.example/app.git app\ncd app\ntiller -p --max-cost 5 "$TASK"\ngit diff\n',
            ],
            env: [
              { name: "HOME", value: "/work" },
              { name: "TASK", value: "Fix issue 17, and add a test." },
              { name: "ANTHROPIC_API_KEY", valueFrom: { secretKeyRef: { name: "model", key: "anthropic" } } },
            ],
            securityContext: {
              runAsNonRoot: true,
              allowPrivilegeEscalation: false,
              capabilities: { drop: ["ALL"] },
            },
            resources: { requests: { cpu: "500m", memory: "1Gi" }, limits: { memory: "4Gi" } },
            volumeMounts: [{ name: "work", mountPath: "/work" }],
          },
        ],
        volumes: [{ name: "work", emptyDir: {} }],
      },
    },
  },
};

describe("the Job of docs/remote.md", () => {
  it("is a Job of Kubernetes", () => {
    const [, manifest = ""] = /^```yaml\n([\s\S]*?)^```$/m.exec(page) ?? [];
    expect(parse(manifest)).toEqual(JOB);
  });
});
