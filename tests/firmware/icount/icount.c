/* A QEMU plugin that counts guest instructions between two places in the code.
 *
 *   qemu-system-arm … -plugin libicount.so,begin=0x123,end=0x456,out=FILE
 *
 * Each time the guest runs the instruction at `begin` a span opens, and at `end` it closes; FILE gets
 * one line a span, the number of instructions in it. The count is exact and the same on every run: it
 * depends neither on the host nor on its load. With `,profile=N` the N-th span (from 0) is written to FILE.profile
 * too, as `address count` of each instruction in it.
 *
 * Debian ships no <qemu-plugin.h>, so the handful of declarations used here are spelled out. They
 * are the same in every version of the plugin API; only the number QEMU asks for differs, hence API. */
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifndef API
#define API 1
#endif
#define EXPORT __attribute__((visibility("default")))

typedef uint64_t plugin_id;
struct qemu_plugin_tb;
struct qemu_plugin_insn;
enum access { NO_REGISTERS };

void qemu_plugin_register_vcpu_tb_trans_cb(plugin_id, void (*)(plugin_id, struct qemu_plugin_tb *));
void qemu_plugin_register_vcpu_insn_exec_cb(struct qemu_plugin_insn *, void (*)(unsigned, void *),
                                            enum access, void *);
void qemu_plugin_register_atexit_cb(plugin_id, void (*)(plugin_id, void *), void *);
size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *);
struct qemu_plugin_insn *qemu_plugin_tb_get_insn(const struct qemu_plugin_tb *, size_t);
uint64_t qemu_plugin_insn_vaddr(const struct qemu_plugin_insn *);

EXPORT int qemu_plugin_version = API;

/* An instruction as translated. QEMU may translate one address several times: whoever reads a profile adds up. */
struct site {
    uint64_t address, count;
    struct site *next;
};

static struct site *sites;
static uint64_t begin, end, count;
static long span, profiled = -1;
static FILE *out, *profile;

static void on_begin(unsigned cpu, void *unused)
{
    (void)cpu, (void)unused;
    count = 0;
    if (span == profiled)
        for (struct site *s = sites; s; s = s->next)
            s->count = 0;
}

static void on_instruction(unsigned cpu, void *site)
{
    (void)cpu;
    count++;
    ((struct site *)site)->count++;
}

static void on_end(unsigned cpu, void *unused)
{
    (void)cpu, (void)unused;
    fprintf(out, "%" PRIu64 "\n", count);
    if (span++ == profiled)
        for (struct site *s = sites; s; s = s->next)
            if (s->count)
                fprintf(profile, "%" PRIx64 " %" PRIu64 "\n", s->address, s->count);
}

static void on_block(plugin_id id, struct qemu_plugin_tb *block)
{
    (void)id;
    for (size_t i = 0, n = qemu_plugin_tb_n_insns(block); i < n; i++) {
        struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(block, i);
        uint64_t address = qemu_plugin_insn_vaddr(insn);
        struct site *site = calloc(1, sizeof *site);
        if (!site)
            abort();
        *site = (struct site){address, 0, sites};
        sites = site;
        void (*callback)(unsigned, void *) =
            address == begin ? on_begin : address == end ? on_end : on_instruction;
        qemu_plugin_register_vcpu_insn_exec_cb(insn, callback, NO_REGISTERS, site);
    }
}

static void on_quit(plugin_id id, void *unused)
{
    (void)id, (void)unused;
    fclose(out);
    fclose(profile);
}

/* The value of `name=` in an argument, or NULL if it is another argument. */
static const char *value(const char *argument, const char *name)
{
    size_t n = strlen(name);
    return !strncmp(argument, name, n) && argument[n] == '=' ? argument + n + 1 : NULL;
}

EXPORT int qemu_plugin_install(plugin_id id, const void *info, int argc, char **argv)
{
    (void)info;
    for (int i = 0; i < argc; i++) {
        const char *v;
        if ((v = value(argv[i], "begin")))
            begin = strtoull(v, NULL, 0);
        else if ((v = value(argv[i], "end")))
            end = strtoull(v, NULL, 0);
        else if ((v = value(argv[i], "profile")))
            profiled = strtol(v, NULL, 0);
        else if ((v = value(argv[i], "out"))) {
            char name[4096];
            snprintf(name, sizeof name, "%s.profile", v);
            out = fopen(v, "w");
            profile = fopen(name, "w");
        }
    }
    if (!begin || !end || !out || !profile) {
        fputs("icount: needs begin=ADDRESS,end=ADDRESS,out=FILE\n", stderr);
        return 1;
    }
    qemu_plugin_register_vcpu_tb_trans_cb(id, on_block);
    qemu_plugin_register_atexit_cb(id, on_quit, NULL);
    return 0;
}
