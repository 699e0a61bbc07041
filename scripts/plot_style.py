"""How the plots of this folder look: one palette that people tell apart whatever colours they see, few lines that are not data, units in every title.

Colours: Okabe and Ito's eight without the yellow (too light for a line), and a darker set of fills for stacked areas. Where there are more curves than
colours, dashes tell them apart.
"""
import math
import re
import sys

import matplotlib

matplotlib.use("Agg")
from matplotlib import pyplot, ticker  # noqa: E402  (the backend has to be chosen first)

INK, FAINT, GRID = "#22262b", "#6b7178", "#e3e6ea"
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#4d4d4d")
DASHES = ("-", (0, (5, 2)), (0, (1.5, 1.5)), (0, (6, 2, 1.5, 2)))
FILLS = ("#4477aa", "#88ccee", "#117733", "#ddcc77", "#cc6677", "#882255", "#44aa99", "#999933", "#aa4499", "#332288")
OTHER_FILL = "#c9cdd2"
MARKERS = "osD^vPX<>h"
DPI = 150


def prepare():
    pyplot.rcParams.update({
        "font.family": "sans-serif", "font.sans-serif": ["DejaVu Sans"], "font.size": 9,
        "text.color": INK, "axes.labelcolor": FAINT, "axes.titlecolor": INK, "xtick.color": FAINT, "ytick.color": FAINT,
        "axes.titlesize": 10, "axes.titleweight": "bold", "axes.titlelocation": "left", "axes.titlepad": 8, "axes.labelsize": 9,
        "axes.spines.top": False, "axes.spines.right": False, "axes.spines.left": False, "axes.edgecolor": "#b4bac1", "axes.linewidth": 0.8,
        "axes.grid": True, "axes.axisbelow": True, "grid.color": GRID, "grid.linewidth": 0.8,
        "xtick.major.size": 3, "ytick.major.size": 0, "xtick.minor.size": 0, "ytick.minor.size": 0, "xtick.major.width": 0.8,
        "lines.linewidth": 1.6, "lines.solid_capstyle": "round", "legend.frameon": False, "legend.fontsize": 8.5, "legend.handlelength": 2.2,
        "axes.xmargin": 0, "svg.hashsalt": "cairn", "pdf.fonttype": 42,
    })


def colour_of(k):
    return COLOURS[k % len(COLOURS)]


def dash_of(k):
    return DASHES[k // len(COLOURS) % len(DASHES)]


def plain_logarithms(axis):
    """Labels 0.01, 1, 100 where these are short, powers of ten elsewhere."""
    low, high = axis.get_view_interval()
    axis.set_minor_formatter(ticker.NullFormatter())
    if 1e-3 <= low and high <= 2e5:
        if math.log10(high / low) < 2:
            axis.set_major_locator(ticker.LogLocator(subs=(1, 2, 5)))
        axis.set_major_formatter(ticker.FuncFormatter(lambda value, _: f"{value:g}"))


def heading(figure, title, lines, top):
    """Title and what stands below it, at the left; returns the height below them as a fraction. `top` is how far from the edge they begin [in]."""
    height = figure.get_figheight()
    figure.text(0.012, 1 - top / height, title, fontsize=13, fontweight="bold", va="top")
    for k, line in enumerate(lines):
        figure.text(0.012, 1 - (top + 0.29 + 0.2 * k) / height, line, fontsize=9, color=FAINT, va="top")
    return 1 - (top + 0.36 + 0.2 * len(lines)) / height


def save(figure, kind, path):
    metadata = {"png": {"Software": None}, "svg": {"Date": None}, "pdf": {"CreationDate": None, "ModDate": None}}[kind]  # the same file for the same numbers
    figure.savefig(path, format=kind, dpi=DPI, metadata=metadata, facecolor="white")


def shortened(text, most):
    return text if len(text) <= most else text[: most - 1] + "…"


def plain(text):
    """Names of scenes may have what Matplotlib takes for mathematics."""
    return re.sub(r"\$", r"\\$", text)


def stop(message):
    sys.exit(f"{sys.argv[0].rsplit('/', 1)[-1]}: {message}")
