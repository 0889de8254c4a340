import path from "node:path";
import { INSTANCE_MARK, markText, TEMPLATE_MARK } from "./marks";

/**
 * Names that make an allowed executable run other code: they would turn the allow-list into a suggestion. PATH is among them because
 * `#!/usr/bin/env node` looks the interpreter up in it. A list can only hold what is known; the allow-list is the boundary.
 */
const CODE_LOADING = new Set(
  `PATH IFS ENV BASH_ENV SHELLOPTS BASHOPTS PS4 GCONV_PATH GETCONF_DIR LOCPATH NLSPATH HOSTALIASES RESOLV_HOST_CONF TMPDIR
  NODE_OPTIONS NODE_PATH NODE_REPL_EXTERNAL_MODULE NODE_EXTRA_CA_CERTS ELECTRON_RUN_AS_NODE OPENSSL_CONF OPENSSL_MODULES OPENSSL_ENGINES
  PYTHONPATH PYTHONHOME PYTHONSTARTUP PYTHONUSERBASE PYTHONINSPECT PYTHONBREAKPOINT PYTHONWARNINGS PYTHONEXECUTABLE
  PERL5LIB PERLLIB PERL5OPT PERL5DB RUBYOPT RUBYLIB GEM_HOME GEM_PATH BUNDLE_GEMFILE LUA_PATH LUA_CPATH LUA_INIT PHPRC PHP_INI_SCAN_DIR
  JAVA_TOOL_OPTIONS _JAVA_OPTIONS JDK_JAVA_OPTIONS CLASSPATH JAVA_HOME DOTNET_STARTUP_HOOKS CORECLR_PROFILER CORECLR_PROFILER_PATH
  GLIBC_TUNABLES MALLOC_TRACE R_PROFILE R_ENVIRON ERL_FLAGS ERL_AFLAGS ERL_ZFLAGS`.split(/\s+/),
);
const RESERVED_PREFIX = /^(SETPOINT_|LD_|DYLD_|BASH_FUNC_|LUA_(PATH|CPATH|INIT)_)/;

/** Why a template must not set this variable; undefined when it may. */
export function environmentFault(name: string): string | undefined {
  if (!/^[A-Za-z_][A-Za-z0-9_]{0,127}$/.test(name)) return `"${name}" is not a name of letters, digits and "_" that starts with no digit`;
  if (name.startsWith("SETPOINT_")) return `${name}: names that start with SETPOINT_ are Setpoint's own`;
  if (RESERVED_PREFIX.test(name) || CODE_LOADING.has(name)) return `${name} is refused: it can make an allowed executable run other code`;
  return undefined;
}

/** The whole environment of an instance: nothing is inherited, so nothing of Setpoint's own (secrets included) can leak into it. */
export function instanceEnvironment(request: {
  installation: string;
  uid: string;
  ordinal: number;
  template: string;
  port: number | null;
  env: Record<string, string>;
}): Record<string, string> {
  const { installation, uid, ordinal, template, port, env } = request;
  return {
    // First, so that a look finds them at once.
    [INSTANCE_MARK]: markText({ installation, uid, ordinal }),
    [TEMPLATE_MARK]: template,
    SETPOINT_ORDINAL: String(ordinal),
    PATH: [path.dirname(process.execPath), "/usr/local/sbin", "/usr/local/bin", "/usr/sbin", "/usr/bin", "/sbin", "/bin"].join(":"),
    LANG: "C.UTF-8",
    TZ: Intl.DateTimeFormat().resolvedOptions().timeZone || "UTC",
    ...env,
    ...(port === null ? {} : { PORT: String(port) }),
  };
}
