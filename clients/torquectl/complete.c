/* SPDX-License-Identifier: Apache-2.0 */
/* clients/torquectl/complete.c - completion for bash, zsh and fish, out of the tables. */
#include <string.h>

#include "clients/torquectl/commands.h"
#include "clients/torquectl/values.h"

static void put_options(unsigned bits)
{
    for (size_t i = 0; i < ctl_n_option; i++) {
        if (ctl_options[i].bit == 0 || (ctl_options[i].bit & bits) != 0) {
            printf(" --%s", ctl_options[i].name);
        }
    }
}

static void put_field_names(const char *operation)
{
    size_t n = 0;
    const ctl_field *fields = ctl_fields(&n);
    for (size_t i = 0; i < n; i++) {
        if (strcmp(fields[i].operation, operation) == 0 && strchr(fields[i].path, '.') == NULL) {
            printf(" %s=", fields[i].path);
        }
    }
}

/* first words of commands, or what follows one of them; each once */
static void put_words(const char *noun)
{
    const char *last = "";
    for (size_t i = 0; i < ctl_n_command; i++) {
        const char *name = ctl_commands[i].name, *space = strchr(name, ' ');
        const size_t n = space != NULL ? (size_t)(space - name) : strlen(name);
        if (noun == NULL && (strlen(last) < n || strncmp(last, name, n) != 0)) {
            printf(" %.*s", (int)n, name);
            last = name;
        } else if (noun != NULL && space != NULL && strncmp(name, noun, n) == 0 && noun[n] == ' ') {
            printf(" %s", space + 1);
        }
    }
}

/* -------------------------------------------------- bash */

static void put_bash_values(void)
{
    for (size_t i = 0; i < ctl_n_option; i++) {
        const ctl_option *o = &ctl_options[i];
        if (o->argument == NULL) {
            continue;
        }
        printf("    --%s", o->name);
        if (o->letter != 0) {
            printf("|-%c", o->letter);
        }
        if (strcmp(o->words, "FILE") == 0) {
            fputs(") COMPREPLY=($(compgen -f -- \"$word\")); return ;;\n", stdout);
        } else if (strcmp(o->words, "CONTEXT") == 0) {
            fputs(") COMPREPLY=($(compgen -W \"$(torquectl contexts -o csv 2>/dev/null | sed "
                  "'1d;s/,.*//')\" -- \"$word\")); return ;;\n",
                  stdout);
        } else {
            printf(") COMPREPLY=($(compgen -W \"%s\" -- \"$word\")); return ;;\n", o->words);
        }
    }
}

/* "simulate solver.method" -> its words; of commands of one word, or of two: "robots change op" */
static void put_field_values(bool is_two, const char *format)
{
    size_t n = 0;
    const ctl_field *fields = ctl_fields(&n);
    for (size_t c = 0; c < ctl_n_command; c++) {
        const bool has_fields = ctl_commands[c].operation != NULL &&
                                (strchr(ctl_commands[c].name, ' ') != NULL) == is_two;
        for (size_t i = 0; has_fields && i < n; i++) {
            if (fields[i].words[0] != '\0' &&
                strcmp(fields[i].operation, ctl_commands[c].operation) == 0) {
                printf("    '%s %s') ", ctl_commands[c].name, fields[i].path);
                printf("%s%s%s",
                       strcmp(format, "zsh") == 0 ? "compadd -- " : "COMPREPLY=($(compgen -W \"",
                       fields[i].words,
                       strcmp(format, "zsh") == 0 ? "; return ;;\n"
                                                  : "\" -- \"$value\")); return ;;\n");
            }
        }
    }
}

/* the noun that lists what the first argument of a command names; NULL: something else */
static const char *names_of(const ctl_command *c)
{
    const bool is_new = strcmp(c->name, "datasets put") == 0;
    if (strncmp(c->arguments, "ROBOT", 5) == 0 || strncmp(c->name, "robots ", 7) == 0) {
        return strncmp(c->arguments, "FILE", 4) == 0 || c->most == 0 ? NULL : "robots";
    }
    if (strncmp(c->name, "sessions ", 9) == 0) {
        return c->most > 0 ? "sessions" : NULL;
    }
    if (strncmp(c->name, "datasets ", 9) == 0 && c->most > 0 && !is_new) {
        return "datasets";
    }
    return strncmp(c->name, "jobs ", 5) == 0 && c->most > 0 ? "jobs" : NULL;
}

static void put_bash(void)
{
    fputs("# bash completion of torquectl: torquectl completion bash\n"
          "_torquectl_names() {\n"
          "    torquectl \"$1\" -o csv --timeout 1 --retries 0 2>/dev/null | sed '1d;s/,.*//'\n"
          "}\n"
          "_torquectl() {\n"
          "    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]}\n"
          "    local noun= verb= key= value= n=0 i\n"
          "    case $word in =) key=$before ;; *=*) key=${word%%=*} value=${word#*=} ;; esac\n"
          "    [ \"$before\" = = ] && key=${COMP_WORDS[COMP_CWORD-2]} value=$word\n"
          "    case $before in\n",
          stdout);
    put_bash_values();
    fputs("    esac\n"
          "    for ((i = 1; i < COMP_CWORD; i++)); do\n"
          "        case ${COMP_WORDS[i]} in\n"
          "        -*) ;;\n"
          "        *) if [ -z \"$noun\" ]; then noun=${COMP_WORDS[i]}; elif [ -z \"$verb\" ]; then "
          "verb=${COMP_WORDS[i]}; fi; n=$((n + 1)) ;;\n"
          "        esac\n"
          "    done\n"
          "    case \"$noun $key\" in\n",
          stdout);
    put_field_values(false, "bash");
    fputs("    esac\n    case \"$noun $verb $key\" in\n", stdout);
    put_field_values(true, "bash");
    fputs("    esac\n"
          "    compopt -o default 2>/dev/null\n"
          "    case \"$noun $verb\" in\n"
          "    ' ') COMPREPLY=($(compgen -W \"",
          stdout);
    put_words(NULL);
    put_options(0);
    fputs("\" -- \"$word\")) ;;\n", stdout);
    for (size_t i = 0; i < ctl_n_command; i++) {
        const ctl_command *c = &ctl_commands[i];
        const char *space = strchr(c->name, ' ');
        const bool is_first =
            i == 0 || space == NULL ||
            strncmp(ctl_commands[i - 1].name, c->name, (size_t)(space - c->name) + 1) != 0;
        if (space != NULL && is_first) {
            printf("    '%.*s ') COMPREPLY=($(compgen -W \"", (int)(space - c->name), c->name);
            put_words(c->name);
            fputs("\" -- \"$word\")) ;;\n", stdout);
        }
        const char *names = names_of(c);
        printf("    '%s%s*) COMPREPLY=($(compgen -W \"", c->name, space == NULL ? " '" : "'");
        if (names != NULL) { /* the first argument */
            printf("$([ $n = %d ] && _torquectl_names %s)", space == NULL ? 1 : 2, names);
        }
        if (c->operation != NULL) {
            put_field_names(c->operation);
        }
        put_options(c->options);
        fputs("\" -- \"$word\")) ;;\n", stdout);
    }
    fputs("    esac\n"
          "    [[ ${COMPREPLY[0]} == *= ]] && compopt -o nospace 2>/dev/null\n"
          "    return 0\n"
          "}\n"
          "complete -F _torquectl torquectl\n",
          stdout);
}

/* -------------------------------------------------- zsh */

/* between single quotes; zsh's _describe ends a word at a colon */
static void put_quoted(const char *text, const char *escaped)
{
    for (; *text != '\0'; text++) {
        if (*text == '\'') {
            fputs("'\\''", stdout);
        } else if (*text != '`' && *text != '$') {
            fputs(strchr(escaped, *text) != NULL ? "\\" : "", stdout);
            putchar(*text);
        }
    }
}

/* Whether a command is the first with its first word. */
static bool is_first_of_noun(size_t i)
{
    const char *name = ctl_commands[i].name;
    const size_t n = strcspn(name, " ");
    return i == 0 || strncmp(ctl_commands[i - 1].name, name, n) != 0 ||
           strcspn(ctl_commands[i - 1].name, " ") != n;
}

/* What an option takes; values that are not known complete to nothing. */
static void put_zsh_values(void)
{
    for (size_t i = 0; i < ctl_n_option; i++) {
        const ctl_option *o = &ctl_options[i];
        if (o->argument == NULL) {
            continue;
        }
        printf("    --%s", o->name);
        if (o->letter != 0) {
            printf("|-%c", o->letter);
        }
        if (strcmp(o->words, "FILE") == 0) {
            fputs(") _files; return ;;\n", stdout);
        } else if (strcmp(o->words, "CONTEXT") == 0) {
            fputs(") _torquectl_names contexts; return ;;\n", stdout);
        } else {
            printf(") compadd -- %s; return ;;\n", o->words);
        }
    }
}

static void put_zsh_command(size_t i)
{
    const ctl_command *c = &ctl_commands[i];
    const char *space = strchr(c->name, ' '), *names = names_of(c);
    if (space != NULL && is_first_of_noun(i)) {
        printf("    '%.*s ') compadd --", (int)(space - c->name), c->name);
        put_words(c->name);
        fputs("; return ;;\n", stdout);
    }
    printf("    '%s%s*)", c->name, space == NULL ? " '" : "'");
    if (names != NULL) { /* the first argument */
        printf(" (( $#plain == %d )) && _torquectl_names %s;", space == NULL ? 1 : 2, names);
    }
    if (c->operation != NULL) {
        fputs(" compadd -S '' --", stdout);
        put_field_names(c->operation);
        fputc(';', stdout);
    }
    fputs(" compadd --", stdout);
    put_options(c->options);
    fputs(" ;;\n", stdout);
}

static void put_zsh(void)
{
    fputs("#compdef torquectl\n# zsh completion of torquectl: torquectl completion zsh\n"
          "_torquectl_names() {\n"
          "    compadd -- ${(f)\"$(torquectl $1 -o csv --timeout 1 --retries 0 2>/dev/null | sed "
          "'1d;s/,.*//')\"}\n"
          "}\n"
          "_torquectl() {\n"
          "    local -a commands plain\n"
          "    local key=${PREFIX%%=*}\n"
          "    case $words[CURRENT-1] in\n",
          stdout);
    put_zsh_values();
    fputs("    esac\n"
          "    plain=(${words[2,CURRENT-1]:#-*})\n"
          "    if [[ $PREFIX == [^-]*=* ]]; then\n"
          "    compset -P '*='\n"
          "    case \"$plain[1] $key\" in\n",
          stdout);
    put_field_values(false, "zsh");
    fputs("    esac\n    case \"$plain[1] $plain[2] $key\" in\n", stdout);
    put_field_values(true, "zsh");
    fputs("    esac\n    return\n    fi\n    commands=(\n", stdout);
    for (size_t i = 0; i < ctl_n_command; i++) {
        const char *name = ctl_commands[i].name;
        if (is_first_of_noun(i)) {
            printf("        '%.*s:", (int)strcspn(name, " "), name);
            put_quoted(ctl_commands[i].summary, ":[]");
            fputs("'\n", stdout);
        }
    }
    fputs("    )\n"
          "    case \"$plain[1] $plain[2]\" in\n"
          "    ' ') _describe command commands; compadd --",
          stdout);
    put_options(0);
    fputs("; return ;;\n", stdout);
    for (size_t i = 0; i < ctl_n_command; i++) {
        put_zsh_command(i);
    }
    fputs("    esac\n    _files\n}\n"
          "[ \"$funcstack[1]\" = _torquectl ] && _torquectl || compdef _torquectl torquectl\n",
          stdout);
}

/* -------------------------------------------------- fish */

static void put_fish_options(void)
{
    for (size_t i = 0; i < ctl_n_option; i++) {
        const ctl_option *o = &ctl_options[i];
        printf("complete -c torquectl -l %s", o->name);
        if (o->letter != 0) {
            printf(" -s %c", o->letter);
        }
        if (strcmp(o->words, "FILE") == 0) {
            fputs(" -rF", stdout);
        } else if (strcmp(o->words, "CONTEXT") == 0) {
            fputs(" -x -a '(__torquectl_names contexts)'", stdout);
        } else if (o->argument != NULL) {
            printf(" -x%s%s%s", o->words[0] != '\0' ? " -a '" : "", o->words,
                   o->words[0] != '\0' ? "'" : "");
        }
        fputs(" -d '", stdout);
        put_quoted(o->text, "\\");
        fputs("'\n", stdout);
    }
}

/* `-n` of a command: its first word, and its second one where it has two */
static void put_fish_where(const ctl_command *c)
{
    const char *space = strchr(c->name, ' ');
    const int n = (int)strcspn(c->name, " ");
    printf("complete -c torquectl -n '__fish_seen_subcommand_from %.*s%s%s' ", n, c->name,
           space != NULL ? "; and __fish_seen_subcommand_from " : "",
           space != NULL ? space + 1 : "");
}

static void put_fish(void)
{
    fputs("# fish completion of torquectl: torquectl completion fish\n"
          "function __torquectl_names\n"
          "    torquectl $argv[1] -o csv --timeout 1 --retries 0 2>/dev/null | sed '1d;s/,.*//'\n"
          "end\n",
          stdout);
    for (size_t i = 0; i < ctl_n_command; i++) {
        const ctl_command *c = &ctl_commands[i];
        const char *space = strchr(c->name, ' '), *names = names_of(c);
        const int n = (int)strcspn(c->name, " ");
        if (is_first_of_noun(i)) {
            printf("complete -c torquectl -n __fish_use_subcommand -f -a %.*s -d '", n, c->name);
            put_quoted(c->summary, "\\");
            fputs("'\n", stdout);
        }
        if (space != NULL) {
            printf("complete -c torquectl -n '__fish_seen_subcommand_from %.*s; and not "
                   "__fish_seen_subcommand_from",
                   n, c->name);
            put_words(c->name);
            printf("' -f -a %s -d '", space + 1);
            put_quoted(c->summary, "\\");
            fputs("'\n", stdout);
        }
        if (names != NULL) {
            put_fish_where(c);
            printf("-a '(__torquectl_names %s)'\n", names);
        }
        if (c->operation != NULL) {
            put_fish_where(c);
            fputs("-a '", stdout);
            put_field_names(c->operation);
            fputs("'\n", stdout);
        }
    }
    put_fish_options();
}

int ctl_completion(ctl *c, int n, char **arguments)
{
    (void)n;
    if (strcmp(arguments[0], "bash") == 0) {
        put_bash();
    } else if (strcmp(arguments[0], "zsh") == 0) {
        put_zsh();
    } else if (strcmp(arguments[0], "fish") == 0) {
        put_fish();
    } else {
        return ctl_misused(c, "there is no completion for \"%.40s\"", arguments[0]);
    }
    return CTL_DONE;
}
