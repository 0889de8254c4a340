import type { NextConfig } from "next";

/** On every answer, whatever it is; pages get their content security policy with its nonce in proxy.ts. */
const EVERYWHERE = [
  { key: "x-content-type-options", value: "nosniff" },
  { key: "x-frame-options", value: "DENY" },
  { key: "referrer-policy", value: "same-origin" },
  { key: "cross-origin-opener-policy", value: "same-origin" },
  { key: "cross-origin-resource-policy", value: "same-origin" },
  { key: "permissions-policy", value: "camera=(), microphone=(), geolocation=(), payment=(), usb=()" },
];

const config: NextConfig = {
  // Loaded by Node itself: native modules, WebAssembly, and libraries that must be there once per process.
  serverExternalPackages: [
    "@node-rs/argon2",
    "@peculiar/x509",
    "@prisma/adapter-pg",
    "@prisma/client",
    "@prisma/driver-adapter-utils",
    "@prisma/schema-engine-wasm",
    "pg",
    "pino",
    "reflect-metadata",
  ],
  poweredByHeader: false,
  reactStrictMode: true,
  // Types are checked by `npm run check` and in CI: whoever starts the product does not wait for it.
  typescript: { ignoreBuildErrors: true },
  headers: async () => [{ source: "/:path*", headers: EVERYWHERE }],
};

export default config;
