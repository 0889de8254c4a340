import type { NextConfig } from "next";

const config: NextConfig = {
  // Loaded by Node itself: native modules, WebAssembly, and libraries that must be there once per process.
  serverExternalPackages: [
    "@node-rs/argon2",
    "@prisma/adapter-pg",
    "@prisma/client",
    "@prisma/driver-adapter-utils",
    "@prisma/schema-engine-wasm",
    "pg",
    "pino",
  ],
  poweredByHeader: false,
  reactStrictMode: true,
  // Types are checked by `npm run check` and in CI: whoever starts the product does not wait for it.
  typescript: { ignoreBuildErrors: true },
  // Security headers belong here (`headers()`), together with proxy.ts.
};

export default config;
